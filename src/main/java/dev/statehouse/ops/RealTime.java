package dev.statehouse.ops;

import java.time.Duration;
import java.util.UUID;

import dev.statehouse.ledger.EventIds;
import dev.statehouse.ledger.Time;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Time and randomness, which the features are given. */
@Configuration(proxyBeanMethods = false)
class RealTime {

    @Bean
    Time time() {
        return new Time() {

            @Override
            public long nanos() {
                return System.nanoTime();
            }

            @Override
            public void sleep(Duration duration) {
                try {
                    Thread.sleep(duration);
                } catch (InterruptedException e) {
                    throw Time.interrupted();
                }
            }
        };
    }

    @Bean
    EventIds eventIds() {
        return () -> UUID.randomUUID().toString();
    }
}
