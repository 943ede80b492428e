package dev.statehouse.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Clients in processes of their own, through two instances. */
@Isolated
class ExactTotalsIT {

    private final Fleet fleet = Fleet.shared();

    /** Some processes that do the same to one id, through either instance by turns. */
    private final class Work implements AutoCloseable {

        private final String what;
        private final String id;
        private final int times;
        private final History history = new History();
        private final List<Process> workers = new ArrayList<>();
        private final long start = System.nanoTime();

        Work(String what, int processes, int times) {
            this.what = what;
            this.id = what + "-" + start;
            this.times = times;
            for (int i = 0; i < processes; i++) {
                workers.add(Worker.start(what, fleet.base(i % 2), id, times, "p" + i));
            }
        }

        /** @return the state after all of it */
        String state() throws IOException {
            for (Process worker : workers) {
                history.addAll(Worker.calls(worker));
            }
            Runs.say("%s: %d processes x %d in %.1f s, %s".formatted(what, workers.size(), times,
                    (System.nanoTime() - start) / 1e9, history.summary()));
            Call last = new Client("last", () -> fleet.base(0), history).read(id);
            history.check();
            return last.state();
        }

        @Override
        public void close() {
            workers.forEach(Process::destroyForcibly);
        }
    }

    @AfterEach
    void nothingOddIsLogged() {
        assertThat(fleet.service(0).output()).doesNotContain("Parse error");
    }

    @Test
    void unguardedBumpsUnderTheLockAddUp() throws Exception {
        int bumps = Runs.times(100);
        try (Work bump = new Work("bump", 8, bumps)) {
            assertThat(bump.state()).isEqualTo("k" + 8 * bumps);
        }
    }

    @Test
    void noPatchIsLost() throws Exception {
        int patches = Runs.times(250);
        try (Work patch = new Work("patch", 4, patches)) {
            assertThat(patch.state().split(",")).hasSize(4 * patches);
        }
    }

    @Test
    void noneIsLostOverABadLineEither() throws Exception {
        int times = Runs.times(5);
        long seed = Runs.seed("exact totals");
        fleet.proxy(0).let(new BadLine(seed));
        fleet.proxy(1).let(new BadLine(seed + 1));
        try (Work collect = new Work("collect", 3, times); Work patch = new Work("patch", 2, 2 * times)) {
            assertThat(collect.state().split(",")).hasSize(3 * times);
            assertThat(patch.state().split(",")).hasSize(4 * times);
        } finally {
            fleet.proxy(0).let(Fault.NONE);
            fleet.proxy(1).let(Fault.NONE);
        }
    }
}
