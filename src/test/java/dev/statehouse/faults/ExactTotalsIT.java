package dev.statehouse.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Clients in processes of their own, through two instances. */
@Isolated
class ExactTotalsIT {

    private final Fleet fleet = Fleet.shared();
    private final History history = new History();

    private void work(String what, String id, int processes, int times) throws Exception {
        long start = System.nanoTime();
        List<Process> workers = new ArrayList<>();
        try {
            for (int i = 0; i < processes; i++) {
                workers.add(Worker.start(what, fleet.base(i % 2), id, times, "p" + i));
            }
            for (Process worker : workers) {
                history.addAll(Worker.calls(worker));
            }
        } finally {
            workers.forEach(Process::destroyForcibly);
        }
        Runs.say("%s: %d processes x %d in %.1f s, %s".formatted(what, processes, times,
                (System.nanoTime() - start) / 1e9, history.summary()));
    }

    @AfterEach
    void nothingOddIsLogged() {
        assertThat(fleet.service(0).output()).doesNotContain("Parse error");
    }

    private Call last(String id) {
        return new Client("last", () -> fleet.base(0), history).read(id);
    }

    @Test
    void unguardedBumpsUnderTheLockAddUp() throws Exception {
        int times = Runs.times(100);
        work("bump", "bumped", 8, times);
        assertThat(last("bumped").state()).isEqualTo("k" + 8 * times);
        history.check();
    }

    @Test
    void noPatchIsLost() throws Exception {
        int times = Runs.times(250);
        work("patch", "patched", 4, times);
        assertThat(last("patched").state().split(",")).hasSize(4 * times);
        history.check();
    }
}
