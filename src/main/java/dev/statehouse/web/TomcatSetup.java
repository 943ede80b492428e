package dev.statehouse.web;

import org.apache.catalina.core.StandardHost;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.stereotype.Component;

/** Puts our own parts into the embedded Tomcat. */
@Component
final class TomcatSetup implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {

    private final WebProperties limits;

    TomcatSetup(WebProperties limits) {
        this.limits = limits;
    }

    @Override
    public void customize(TomcatServletWebServerFactory factory) {
        factory.setProtocol(ExactTargetProtocol.class.getName());
        factory.addConnectorCustomizers(connector -> {
            if (connector.getProtocolHandler() instanceof ExactTargetProtocol protocol) {
                protocol.setLimits(limits);
            }
        });
        factory.addContextCustomizers(context -> {
            if (context.getParent() instanceof StandardHost host) {
                host.setErrorReportValveClass(ProblemReportValve.class.getName());
            }
        });
    }
}
