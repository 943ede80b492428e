package dev.statehouse.web;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Limits of a request and its answer.
 *
 * @param maxBodySize the largest body of any request, imports included; beyond it 413
 * @param slowAfter how long the head of a request may take, and so may its body, and the reading of the answer, besides
 *        the time that these have by {@code minRate}
 * @param minRate how much of a body has to come in a second, and how much of an answer to be taken, on average
 */
@ConfigurationProperties("statehouse.web")
record WebProperties(@DefaultValue("64MB") DataSize maxBodySize, @DefaultValue("20s") Duration slowAfter,
        @DefaultValue("16KB") DataSize minRate) {

    WebProperties {
        if (slowAfter.toMillis() < 1 || minRate.toBytes() < 1) {
            throw new IllegalArgumentException(
                    "statehouse.web.slow-after and statehouse.web.min-rate must be above 0.");
        }
    }

    /** The longest that so much of a body, or of an answer, may take. */
    Duration timeFor(long bytes) {
        return slowAfter.plusMillis(bytes * 1000 / minRate.toBytes());
    }
}
