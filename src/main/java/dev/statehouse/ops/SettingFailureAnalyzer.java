package dev.statehouse.ops;

import dev.statehouse.problem.SettingException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Ends a start on wrong settings, or on a table that cannot be used, with what to do instead of a stack trace. */
final class SettingFailureAnalyzer extends AbstractFailureAnalyzer<SettingException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, SettingException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
    }
}
