package dev.statehouse.state;

import java.util.List;

/** Writes states. */
interface StateWriter {

    /** One outcome for each write, in their order; several writes of one id are done one after the other. */
    List<Outcome> write(List<Write> writes);

    /** @throws dev.statehouse.problem.Problem if it is refused */
    default Outcome.Done write(Write write) {
        return write(List.of(write)).getFirst().orThrow();
    }
}
