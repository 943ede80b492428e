package dev.statehouse.state;

import java.util.stream.Stream;

import dev.statehouse.testing.HttpCases;
import dev.statehouse.testing.RunningService;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What users rely on, as data: other clients and other implementations can run the same file. */
@Execution(ExecutionMode.CONCURRENT)
class StateCasesIT {

    @TestFactory
    Stream<DynamicTest> states() {
        return HttpCases.of("/cases/states.json", RunningService.shared().client());
    }
}
