package dev.statehouse.embedded;

import java.nio.file.Path;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the embedded engine; they matter only while no ClickHouse is named.
 *
 * @param data
 *            folder of its data, made when missing; one service at a time
 * @param library
 *            the file of the ClickHouse library; null: looked for in {@code engine/node_modules}, below the working
 *            directory and around the place of the program
 */
@ConfigurationProperties("statehouse.embedded")
public record EmbeddedProperties(@DefaultValue("./data") Path data, @Nullable Path library) {}
