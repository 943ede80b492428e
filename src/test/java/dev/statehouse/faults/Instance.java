package dev.statehouse.faults;

import dev.statehouse.StatehouseApplication;

/** Runs the service, and ends with the process that started it, however that one ends. Is copied out, and uses no other test class. */
final class Instance {

    private Instance() {}

    public static void main(String[] args) {
        ProcessHandle.current()
                .parent()
                .ifPresent(parent -> parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1)));
        StatehouseApplication.main(args);
    }
}
