package bench;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/** What the meters of a service say of the time since they were asked last. */
final class WhereTimeGoes {

    private final MeterRegistry registry;
    private final Map<String, double[]> before = new HashMap<>();

    WhereTimeGoes(MeterRegistry registry) {
        this.registry = registry;
    }

    /** From now on. */
    void reset() {
        sums();
    }

    /** Count and sum since last time. */
    private Map<String, double[]> sums() {
        Map<String, double[]> now = new TreeMap<>();
        for (Timer timer : registry.find("statehouse.clickhouse").timers()) {
            now.put("step " + timer.getId().getTag("step"),
                    new double[]{timer.count(), timer.totalTime(TimeUnit.MILLISECONDS)});
        }
        for (DistributionSummary size : registry.find("statehouse.batch.size").summaries()) {
            now.put("batch of " + size.getId().getTag("queue"), new double[]{size.count(), size.totalAmount()});
        }
        for (Timer timer : registry.find("statehouse.batch.wait").timers()) {
            now.put("wait of " + timer.getId().getTag("queue"),
                    new double[]{timer.count(), timer.totalTime(TimeUnit.MILLISECONDS)});
        }
        Map<String, double[]> since = new TreeMap<>();
        now.forEach((name, sum) -> {
            double[] old = before.getOrDefault(name, new double[2]);
            since.put(name, new double[]{sum[0] - old[0], sum[1] - old[1]});
        });
        before.putAll(now);
        return since;
    }

    /** One line: how often, and how much on average (milliseconds; for a batch, how many it held). */
    void print() {
        StringBuilder line = new StringBuilder("    ");
        sums().forEach((name, sum) -> {
            if (sum[0] > 0) {
                line.append(String.format(Locale.ROOT, "%s %.0f × %.1f  ", name, sum[0], sum[1] / sum[0]));
            }
        });
        System.out.println(line.toString().stripTrailing());
    }
}
