package dev.statehouse.auth;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Ends a start on wrong settings of authentication with what to do instead of a stack trace. */
final class AuthSettingFailureAnalyzer extends AbstractFailureAnalyzer<AuthSettingException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, AuthSettingException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
    }
}
