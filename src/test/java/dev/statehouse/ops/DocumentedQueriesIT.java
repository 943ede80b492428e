package dev.statehouse.ops;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import dev.statehouse.testing.ContractClient;
import dev.statehouse.testing.RunningService;
import dev.statehouse.testing.TestClickHouse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What operators and analysts are given to paste works on the service as it is. */
@Execution(ExecutionMode.CONCURRENT)
class DocumentedQueriesIT {

    private static final Pattern METRIC = Pattern.compile("\\b(?:statehouse|http_server|jvm)_[a-z_]+\\b");

    private final RunningService service = RunningService.shared();
    private final String prefix = RunningService.freshPrefix();

    private static String answer(String sql) {
        return TestClickHouse.shared().query(sql);
    }

    @Test
    void queriesOfTheSqlPage() throws IOException {
        ContractClient http = service.client();
        String id = prefix + "tap";
        http.put(ContractClient.state(id), """
                {"completed_state": {"singer_state": {"bookmarks": {"issues": {"since": "x"}, "commits": {"n": 1.10}}}},
                 "partial_state": {"singer_state": {}}}""").expect(201);
        service.insert(prefix + "gone", null, null);
        TestClickHouse.shared()
                .query("INSERT INTO " + service.table() + " (state_id, completed_state, updated_at) VALUES ('" + prefix
                        + "old', '{}', now64(3) - INTERVAL 50 HOUR)");
        http.post(ContractClient.lock(id), "{\"owner\": \"analyst\", \"ttl_seconds\": 1}").expect(201);
        List<String> queries = Documented.sql("docs/sql.md", service.schema());
        assertThat(queries).hasSize(5);
        assertThat(answer(queries.get(0)))
                .contains(id + "\tcommits\t{\"n\":1.1}\n" + id + "\tissues\t{\"since\":\"x\"}")
                .doesNotContain(prefix + "gone");
        assertThat(answer(queries.get(1))).containsPattern("(?m)" + Pattern.quote(prefix + "old") + "\t.*\t50$")
                .doesNotContain(id, prefix + "gone");
        assertThat(answer(queries.get(2))).contains(id).doesNotContain(prefix + "old", prefix + "gone");
        assertThat(answer(queries.get(3))).contains(id + "\tanalyst\trequest\t1");
        assertThat(answer(queries.get(4)).lines().map(line -> line.substring(0, line.indexOf('\t'))))
                .contains("state", "state_ledger");
    }

    @Test
    void metricsOfTheAlertsAndTheDashboard() throws IOException {
        ContractClient http = service.client();
        http.put(ContractClient.state(prefix + "m"), "{\"completed_state\": {\"v\": 1}}").expect(201);
        http.post(ContractClient.lock(prefix + "m"), "{\"owner\": \"ops\", \"ttl_seconds\": 1}").expect(201);
        var there = new TreeSet<>(METRIC.matcher(http.get("/actuator/prometheus").expect(200).text())
                .results()
                .map(MatchResult::group)
                .toList());
        for (String file : List.of("ops/alerts.yaml", "ops/dashboard.json")) {
            assertThat(Documented.found(METRIC, file)).isNotEmpty().isSubsetOf(there);
        }
    }
}
