package bench;

import java.util.Map;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** One INSERT a call. A class of its own, since Spring makes a bean of any component inside of a configuration. */
@RestController
class BarePuts {

    private final JdbcTemplate jdbc;
    private final String insert;

    BarePuts(JdbcTemplate jdbc, String table) {
        this.jdbc = jdbc;
        this.insert = "INSERT INTO " + table
                + " (state_id, completed_state) SETTINGS async_insert = 0 VALUES (?, ?)";
    }

    @PutMapping("/bare/{id}")
    Map<String, String> put(@PathVariable String id, @RequestBody String body) {
        jdbc.update(insert, id, body);
        return Map.of("state_id", id);
    }
}
