package dev.statehouse.auth;

import dev.statehouse.problem.SettingException;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class AuthPropertiesTest {

    private static AuthProperties bind(String settings) {
        Map<String, String> map = new TreeMap<>();
        for (String setting : settings.split(" ")) {
            if (!setting.isEmpty()) {
                map.put("statehouse.auth." + setting.split("=", 2)[0], setting.split("=", 2)[1]);
            }
        }
        return new Binder(new MapConfigurationPropertySource(map)).bindOrCreate("statehouse.auth",
                Bindable.of(AuthProperties.class));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"''|UNSAID|false|false", "mode=|UNSAID|false|false",
            "mode=none|NONE|false|false",
            "mode=NONE|NONE|false|false", "tokens.files=/a|REQUIRED|true|false",
            "tokens.files=/a,/b|REQUIRED|true|false",
            "tokens.files=|UNSAID|false|false", "jwt.issuer=|UNSAID|false|false",
            "jwt.issuer=i jwt.audiences=a|REQUIRED|false|true",
            "jwt.issuer=i jwt.audiences=a tokens.files=/a|REQUIRED|true|true",
            "mode=jwt jwt.issuer=i jwt.audiences=a tokens.files=/a|REQUIRED|false|true",
            "mode=tokens,jwt jwt.issuer=i jwt.audiences=a tokens.files=/a|REQUIRED|true|true",
            "jwt.audiences=a|UNSAID|false|false",
            "jwt.issuer=i jwt.audiences=a jwt.rules[0].role=operator jwt.rules[0].ids=|REQUIRED|false|true"})
    void whatIsConfiguredIsAskedFor(String settings, Protection protection, boolean tokens, boolean jwts) {
        AuthProperties properties = bind(settings);
        assertThat(properties.protection()).isEqualTo(protection);
        assertThat(properties.takesTokens()).isEqualTo(tokens);
        assertThat(properties.takesJwts()).isEqualTo(jwts);
    }

    @ParameterizedTest
    @ValueSource(strings = {"mode=tokens", "mode=jwt", "mode=none tokens.files=/x", "mode=none,tokens tokens.files=/x",
            "mode=none jwt.issuer=i jwt.audiences=a", "mode=tokens jwt.issuer=i jwt.audiences=a", "jwt.issuer=i",
            "jwt.issuer=i jwt.audiences=a jwt.rules[0].ids=*", "jwt.issuer=i jwt.audiences=a jwt.rules[0].role=reader",
            "jwt.keys-for=1s", "jwt.clock-skew=1h"})
    void whatDoesNotGoTogetherIsNamed(String settings) {
        assertThatThrownBy(() -> bind(settings)).hasStackTraceContaining("statehouse.auth.")
                .hasRootCauseInstanceOf(SettingException.class);
    }
}
