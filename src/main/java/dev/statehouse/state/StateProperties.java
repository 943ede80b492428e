package dev.statehouse.state;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Limits of states.
 *
 * @param maxSize the largest state, both halves together, in bytes of compact UTF-8; beyond it 413
 */
@ConfigurationProperties("statehouse.state")
record StateProperties(@DefaultValue("16MB") DataSize maxSize) {}
