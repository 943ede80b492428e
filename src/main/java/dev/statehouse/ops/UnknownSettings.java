package dev.statehouse.ops;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Refuses settings of the service that nothing reads, so that a slip of the pen does not silently leave a default in
 * place. In the environment they only warn: there, others put names too (Kubernetes' service links, for one).
 */
class UnknownSettings implements BeanFactoryPostProcessor {

    private static final Logger log = LoggerFactory.getLogger(UnknownSettings.class);
    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("statehouse");
    private static final String VARIABLE = "STATEHOUSE_";
    /** What the command line of the add-on reads, and hands to what it runs. */
    private static final Set<String> OF_CLIENTS = Set.of("STATEHOUSE_URL", "STATEHOUSE_STATE_URL", "STATEHOUSE_TOKEN",
            "STATEHOUSE_LOCK_TOKEN", "STATEHOUSE_FENCING_TOKEN");

    private final ConfigurableEnvironment environment;

    UnknownSettings(ConfigurableEnvironment environment) {
        this.environment = environment;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        KnownSettings known = KnownSettings.of(beans);
        Set<String> unknown = new TreeSet<>();
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source.getName().equals(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME)) {
                warn(source, known);
            } else if (ConfigurationPropertySource.from(source) instanceof IterableConfigurationPropertySource names) {
                names.stream()
                        .filter(name -> ROOT.isAncestorOf(name) && !known.has(name))
                        .forEach(name -> unknown.add(name.toString()));
            }
        }
        if (!unknown.isEmpty()) {
            throw new UnknownSettingException(List.copyOf(unknown), known.nearest(unknown.iterator().next()));
        }
    }

    private static void warn(PropertySource<?> source, KnownSettings known) {
        if (source instanceof EnumerablePropertySource<?> variables) {
            List.of(variables.getPropertyNames())
                    .stream()
                    .filter(name -> name.toUpperCase(Locale.ROOT).startsWith(VARIABLE))
                    .filter(name -> !known.hasVariable(name) && !OF_CLIENTS.contains(name))
                    .sorted(Comparator.naturalOrder())
                    .forEach(name -> log.warn("The environment variable {} is ignored: there is no such setting.",
                            name));
        }
    }
}
