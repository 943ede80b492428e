package dev.statehouse.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

@ExtendWith(OutputCaptureExtension.class)
class UnknownSettingsTest {

    @ConfigurationProperties("statehouse.store")
    record Store(String host, int poolSize, Inner inner, Map<String, String> labels, List<Rule> rules) {}

    record Rule(String role, List<String> ids) {}

    record Inner(Duration staleAfter) {}

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(Store.class)
    static class Settings {}

    private final ApplicationContextRunner runner = new ApplicationContextRunner().withUserConfiguration(Settings.class,
            OpsConfiguration.class);

    @ParameterizedTest
    @ValueSource(strings = {"statehouse.store.host=x", "statehouse.store.pool-size=1", "statehouse.store.poolSize=1",
            "statehouse.store.inner.stale-after=1s", "statehouse.store.labels.any.thing=1", "other.thing=1",
            "statehouse.store.rules[0].role=a", "statehouse.store.rules[0].ids[0]=b",
            "statehouse.store.rules[0].ids=b"})
    void knownSettingsAreFine(String setting) {
        runner.withPropertyValues(setting).run(context -> assertThat(context).hasNotFailed());
    }

    @ParameterizedTest
    @ValueSource(strings = {"statehouse.store.hots=secret", "statehouse.stoer.host=secret", "statehouse.host=secret",
            "statehouse.store.inner.stale=secret", "statehouse.store.host.more=secret",
            "statehouse.store.rules[0].rule=secret"})
    void unknownSettingsEndTheStart(String setting) {
        String name = setting.substring(0, setting.indexOf('='));
        runner.withPropertyValues(setting).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure()).isInstanceOf(UnknownSettingException.class)
                    .hasMessageContaining(name)
                    .message()
                    .doesNotContain("secret");
        });
    }

    @Test
    void theNearestNameIsTold() {
        runner.withPropertyValues("statehouse.store.hots=x")
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOfSatisfying(UnknownSettingException.class, e -> assertThat(e.nearest()).isEqualTo(
                                "statehouse.store.host")));
    }

    @Test
    void variablesOnlyWarn(CapturedOutput output) {
        runner.withInitializer(context -> context.getEnvironment()
                .getPropertySources()
                .replace(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                                Map.of("STATEHOUSE_STORE_HOTS", "secret", "STATEHOUSE_STORE_POOLSIZE", "1",
                                        "STATEHOUSE_STORE_POOL_SIZE", "1", "STATEHOUSE_STORE_INNER_STALEAFTER", "1s",
                                        "STATEHOUSE_STORE_RULES_0_ROLE", "a", "STATEHOUSE_STORE_RULES_0_IDS_0", "b"))))
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).contains("STATEHOUSE_STORE_HOTS")
                .doesNotContain("secret", "POOLSIZE is", "POOL_SIZE is",
                        "STALEAFTER is", "RULES");
    }
}
