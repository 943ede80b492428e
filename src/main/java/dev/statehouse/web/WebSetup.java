package dev.statehouse.web;

import java.util.List;
import java.util.function.Function;

import dev.statehouse.auth.Access;
import dev.statehouse.id.Glob;
import dev.statehouse.id.StateId;
import dev.statehouse.problem.InvalidInput;
import dev.statehouse.problem.ProblemCode;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.convert.converter.Converter;
import org.springframework.format.FormatterRegistry;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** How values of requests become ours. */
@Configuration(proxyBeanMethods = false)
class WebSetup implements WebMvcConfigurer {

    private final Access access;

    WebSetup(Access access) {
        this.access = access;
    }

    @Override
    public void addFormatters(FormatterRegistry registry) {
        registry.addConverter(String.class, StateId.class,
                text -> convert(text, StateId::new, ProblemCode.INVALID_STATE_ID));
        registry.addConverter(new PatternConverter());
    }

    /** An empty pattern is none: all where it need not be given, missing where it must be. */
    private static final class PatternConverter implements Converter<String, @Nullable Glob> {

        @Override
        public @Nullable Glob convert(String text) {
            return text.isEmpty() ? null : WebSetup.convert(text, Glob::new, ProblemCode.INVALID_PARAMETER);
        }
    }

    private static <T> T convert(String text, Function<String, T> constructor, ProblemCode code) {
        try {
            return constructor.apply(text);
        } catch (IllegalArgumentException e) {
            throw new InvalidInput(code, String.valueOf(e.getMessage()));
        }
    }

    @Override
    public void addArgumentResolvers(List<HandlerMethodArgumentResolver> resolvers) {
        resolvers.add(new CallerGone());
    }

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(new NeedsInterceptor(access));
        registry.addInterceptor(new UnknownParameterInterceptor());
    }
}
