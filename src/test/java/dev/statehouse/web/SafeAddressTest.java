package dev.statehouse.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.statehouse.problem.SettingException;
import dev.statehouse.auth.Protection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.mock.env.MockEnvironment;

@ExtendWith(OutputCaptureExtension.class)
class SafeAddressTest {

    private static TomcatServletWebServerFactory start(Protection protection, String settings) {
        MockEnvironment environment = new MockEnvironment();
        for (String setting : settings.split(" ")) {
            if (!setting.isEmpty()) {
                environment.withProperty(setting.split("=", -1)[0], setting.split("=", -1)[1]);
            }
        }
        TomcatServletWebServerFactory factory = new TomcatServletWebServerFactory();
        new SafeAddress(protection, environment).customize(factory);
        return factory;
    }

    @Test
    void withoutAWordOnlyThisMachineMayCall() {
        assertThat(String.valueOf(start(Protection.UNSAID, "").getAddress())).endsWith("/127.0.0.1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.1.2.3", "::1", "localhost"})
    void narrowAddressesAreTakenAsTheyAre(String address) {
        assertThat(start(Protection.UNSAID, "server.address=" + address).getAddress()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"server.address=0.0.0.0", "server.address=::", "server.address=192.0.2.1",
            "management.server.port=0", "management.server.port=9000 management.server.address=0.0.0.0",
            "management.server.address=192.0.2.1"})
    void widerOnesAreRefused(String settings) {
        assertThatThrownBy(() -> start(Protection.UNSAID, settings)).isInstanceOf(SettingException.class)
                .hasMessageContaining("statehouse.auth");
        start(Protection.REQUIRED, settings);
    }

    @ParameterizedTest
    @CsvSource({"NONE,true", "REQUIRED,false"})
    void whoeverSaysNoneIsWarned(Protection protection, boolean warned, CapturedOutput output) {
        assertThat(start(protection, "server.address=0.0.0.0").getAddress()).isNull();
        assertThat(output.getAll().contains("statehouse.auth.mode=none")).isEqualTo(warned);
    }
}
