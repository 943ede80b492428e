package dev.statehouse.ops;

import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * The names of all settings, taken from the records that hold them.
 *
 * @param names in kebab case
 * @param maps the beginnings of names that users go on themselves
 */
record KnownSettings(Set<String> names, Set<String> maps) {

    static KnownSettings of(ConfigurableListableBeanFactory beans) {
        KnownSettings known = new KnownSettings(new TreeSet<>(), new TreeSet<>());
        for (String bean : beans.getBeanNamesForAnnotation(ConfigurationProperties.class)) {
            ConfigurationProperties properties = beans.findAnnotationOnBean(bean, ConfigurationProperties.class);
            Class<?> type = beans.getType(bean);
            if (type != null && properties != null) {
                String prefix = properties.prefix().isEmpty() ? properties.value() : properties.prefix();
                if (prefix.equals("statehouse") || prefix.startsWith("statehouse.")) {
                    known.add(prefix, type);
                }
            }
        }
        return known;
    }

    private void add(String prefix, Class<?> type) {
        if (Map.class.isAssignableFrom(type)) {
            maps.add(prefix);
        } else if (!type.isRecord()) {
            names.add(prefix);
        } else {
            // A component that cannot have the setting's name, such as wait, says it on the constructor's parameter.
            for (Parameter parameter : type.getDeclaredConstructors()[0].getParameters()) {
                Name named = parameter.getAnnotation(Name.class);
                add(prefix + "." + (named == null ? kebab(parameter.getName()) : named.value()), of(parameter));
            }
        }
    }

    /** Of a list, what it is a list of: its entries are settings too. */
    private static Class<?> of(Parameter parameter) {
        return parameter.getParameterizedType() instanceof ParameterizedType list
                && Collection.class.isAssignableFrom(parameter.getType())
                && list.getActualTypeArguments()[0] instanceof Class<?> entry && entry.isRecord()
                        ? entry
                        : parameter.getType();
    }

    private static String kebab(String camel) {
        return camel.replaceAll("([a-z0-9])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
    }

    /** Also in the relaxed spellings that Spring takes. The numbers of entries of a list do not count. */
    boolean has(ConfigurationPropertyName given) {
        ConfigurationPropertyName name = withoutNumbers(given);
        return names.stream()
                .map(ConfigurationPropertyName::of)
                .anyMatch(n -> n.equals(name))
                || maps.stream().map(ConfigurationPropertyName::of).anyMatch(n -> n.isAncestorOf(name));
    }

    private static ConfigurationPropertyName withoutNumbers(ConfigurationPropertyName name) {
        return ConfigurationPropertyName.of(name.toString().replaceAll("\\[\\d+]", ""));
    }

    boolean hasVariable(String variable) {
        Set<String> known = new HashSet<>();
        for (String name : names) {
            known.add(name.replace('.', '_').replace("-", ""));
            known.add(name.replace('.', '_').replace('-', '_'));
        }
        String lower = variable.toLowerCase(Locale.ROOT).replaceAll("_\\d+_?(?=_|$)", "");
        return known.contains(lower) || maps.stream().anyMatch(m -> lower.startsWith(m.replace('.', '_')));
    }

    String nearest(String unknown) {
        return names.stream().min(Comparator.comparingInt(name -> distance(name, unknown))).orElse("nothing");
    }

    /** How many letters to change, add or take away between the two. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int corner = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = corner + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                corner = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
