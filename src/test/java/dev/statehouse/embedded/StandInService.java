package dev.statehouse.embedded;

import java.nio.file.Path;

/** A service reduced to its engine, in a JVM of its own that a test may kill. Prints pid, port and password of its child. */
final class StandInService {

    private StandInService() {}

    @SuppressWarnings("SystemOut")
    public static void main(String[] args) throws Exception {
        EmbeddedEngine engine = EmbeddedEngine.start(EmbeddedProperties.in(Path.of(args[0])));
        EngineAddress address = engine.address();
        System.out.println("child " + engine.pid() + " " + address.port() + " " + address.password());
        while (System.in.read() >= 0) {
            // ends when its input does, without closing the engine
        }
    }
}
