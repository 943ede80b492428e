package dev.statehouse.lock;

import java.util.stream.Stream;

import dev.statehouse.testing.HttpCases;
import dev.statehouse.testing.RunningService;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What those who lock rely on, as data: other clients and other implementations can run the same file. */
@Execution(ExecutionMode.CONCURRENT)
class LockCasesIT {

    @TestFactory
    Stream<DynamicTest> locks() {
        return HttpCases.of("/cases/locks.json", RunningService.shared().client());
    }
}
