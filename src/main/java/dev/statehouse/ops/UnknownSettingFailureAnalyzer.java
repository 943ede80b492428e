package dev.statehouse.ops;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Ends a start on an unknown setting with the name of the nearest one. */
final class UnknownSettingFailureAnalyzer extends AbstractFailureAnalyzer<UnknownSettingException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, UnknownSettingException cause) {
        return new FailureAnalysis(cause.getMessage(), "Did you mean " + cause.nearest()
                + "? Correct the name or take it away; application.yaml lists every setting.", cause);
    }
}
