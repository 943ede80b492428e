package dev.statehouse.clickhouse;

import dev.statehouse.embedded.EngineUnavailable;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Ends a start that found neither a ClickHouse nor the embedded engine with what is missing. */
final class EngineFailureAnalyzer extends AbstractFailureAnalyzer<EngineUnavailable> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, EngineUnavailable cause) {
        return new FailureAnalysis(cause.getMessage(), null, cause);
    }
}
