package dev.statehouse.web;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Limits of a request.
 *
 * @param maxBodySize the largest body of any request, imports included; beyond it 413
 */
@ConfigurationProperties("statehouse.web")
record WebProperties(@DefaultValue("64MB") DataSize maxBodySize) {}
