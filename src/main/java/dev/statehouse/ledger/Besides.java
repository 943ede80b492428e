package dev.statehouse.ledger;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import dev.statehouse.problem.Unavailable;

/** Asks one thing while the caller does another. */
public final class Besides {

    private Besides() {}

    /** @return what was answered; empty if the store could not be asked */
    public static <T extends Object> CompletableFuture<Optional<T>> ask(Supplier<T> question) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return Optional.of(question.get());
            } catch (Unavailable untold) {
                return Optional.empty();
            }
        }, run -> Thread.ofVirtual().name("besides ", 0).start(run));
    }
}
