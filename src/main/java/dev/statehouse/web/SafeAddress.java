package dev.statehouse.web;

import java.net.InetAddress;

import dev.statehouse.problem.SettingException;
import dev.statehouse.auth.Protection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * Keeps a service that asks nobody for a token to the machine that it runs on, unless the operator said that this is
 * meant.
 */
@Component
final class SafeAddress implements WebServerFactoryCustomizer<TomcatServletWebServerFactory>, Ordered {

    private static final Logger LOG = LoggerFactory.getLogger(SafeAddress.class);
    private static final String ACTION = "Name who may call in statehouse.auth.tokens.files or statehouse.auth.jwt.issuer,"
            + " leave the address out to be called from this machine alone, or say statehouse.auth.mode=none if"
            + " whoever reaches the port may read, change and delete every state.";

    private final Protection protection;
    private final Binder settings;

    SafeAddress(Protection protection, Environment environment) {
        this.protection = protection;
        this.settings = Binder.get(environment);
    }

    @Override
    public void customize(TomcatServletWebServerFactory factory) {
        switch (protection) {
            case REQUIRED -> {
            }
            case NONE -> LOG.warn("statehouse.auth.mode=none: whoever reaches the port may read, change and delete"
                    + " every state.");
            case UNSAID -> {
                if (address("server.address") == null) {
                    factory.setAddress(InetAddress.getLoopbackAddress());
                    LOG.info("No authentication is configured (statehouse.auth), so only this machine may call.");
                }
                refuseWider("server.address");
                if (settings.bind("management.server.port", Integer.class).isBound()
                        && address("management.server.address") == null) {
                    throw new SettingException("management.server.port is set without an address of its own, and no"
                            + " authentication is configured (statehouse.auth).", ACTION);
                }
                refuseWider("management.server.address");
            }
        }
    }

    private void refuseWider(String setting) {
        InetAddress address = address(setting);
        if (address != null && !address.isLoopbackAddress()) {
            throw new SettingException("%s is %s, which others can reach, and no authentication is configured"
                    .formatted(setting, address.getHostAddress()) + " (statehouse.auth).", ACTION);
        }
    }

    private @Nullable InetAddress address(String setting) {
        return settings.bind(setting, InetAddress.class).orElse(null);
    }

    /** After what Spring Boot sets by server.address. */
    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }
}
