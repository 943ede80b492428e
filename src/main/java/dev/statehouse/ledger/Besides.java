package dev.statehouse.ledger;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import dev.statehouse.problem.Unavailable;
import dev.statehouse.trace.Origin;

/** Asks one thing while the caller does another. */
public final class Besides {

    private Besides() {}

    /** @return what was answered; empty if the store could not be asked */
    public static <T extends Object> CompletableFuture<Optional<T>> ask(Supplier<T> question) {
        Origin call = Origin.current();
        return CompletableFuture.supplyAsync(() -> call.in(() -> {
            try {
                return Optional.of(question.get());
            } catch (Unavailable untold) {
                return Optional.empty();
            }
        }), run -> Thread.ofVirtual().name("besides ", 0).start(run));
    }
}
