package dev.statehouse.ops;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.util.unit.DataSize;

/** Says which setting has a value that cannot be read, and how one looks that can. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class UnreadableSettingFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
        ConfigurationProperty property = cause.getProperty();
        String example = example(innermost(cause).getTarget().getType().resolve(Object.class));
        if (property == null || example == null) {
            return null;
        }
        return new FailureAnalysis("The setting %s is '%s', which cannot be read.".formatted(property.getName(),
                property.getValue()), "Write " + example + ".", cause);
    }

    private static BindException innermost(BindException failure) {
        BindException found = failure;
        for (Throwable t = failure; t != null; t = t.getCause()) {
            found = t instanceof BindException deeper ? deeper : found;
        }
        return found;
    }

    /** @return null where the type says nothing */
    private static @Nullable String example(Class<?> type) {
        if (type == Duration.class) {
            return "a number and its unit, like 500ms, 60s or 5m";
        } else if (type == DataSize.class) {
            return "a number and its unit, like 512KB or 16MB";
        } else if (type == boolean.class || type == Boolean.class) {
            return "true or false";
        } else if (type == int.class || type == Integer.class || type == long.class || type == Long.class) {
            return "a whole number";
        } else if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants())
                    .map(each -> each.toString().toLowerCase(Locale.ROOT))
                    .collect(Collectors.joining(" or "));
        }
        return null;
    }
}
