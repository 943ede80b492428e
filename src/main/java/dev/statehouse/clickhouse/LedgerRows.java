package dev.statehouse.clickhouse;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import dev.statehouse.id.StateId;
import dev.statehouse.ledger.Event;
import dev.statehouse.ledger.Folded;
import dev.statehouse.ledger.LedgerRow;
import dev.statehouse.ledger.Look;
import dev.statehouse.ledger.Position;
import dev.statehouse.state.StateLog;
import dev.statehouse.state.StateRow;
import org.springframework.jdbc.core.RowCallbackHandler;

/** Takes in what the statements of {@link LedgerSql} give. */
final class LedgerRows implements RowCallbackHandler {

    private static final String STATE_ROW = "row";
    /** Numbers of a row of the log, with the server's time behind them. */
    private static final int WITH_TIME = 10;

    private final Map<StateId, List<LedgerRow>> log = new HashMap<>();
    private final Map<StateId, StateRow> states = new HashMap<>();
    private final boolean textsOfSnapshots;
    private long serverTime;
    private int logSize;

    /** @param textsOfSnapshots whether they are among the columns */
    LedgerRows(boolean textsOfSnapshots) {
        this.textsOfSnapshots = textsOfSnapshots;
    }

    @Override
    public void processRow(ResultSet row) throws SQLException {
        String id = row.getString(1);
        String event = row.getString(2);
        long[] numbers = numbers(row.getString(6));
        if (id.isEmpty()) {
            serverTime = numbers[0];
        } else if (event.equals(STATE_ROW)) {
            StateId stateId = new StateId(id);
            states.put(stateId, new StateRow(stateId, row.getString(7), row.getString(8), numbers[0]));
        } else {
            serverTime = numbers.length == WITH_TIME ? numbers[WITH_TIME - 1] : serverTime;
            logSize++;
            log.computeIfAbsent(new StateId(id), none -> new ArrayList<>())
                    .add(ledgerRow(row, Event.ofStored(event), numbers));
        }
    }

    /** @param list as {@code [1,2,3]} */
    private static long[] numbers(String list) {
        return Arrays.stream(list.substring(1, list.length() - 1).split(",")).mapToLong(Long::parseLong).toArray();
    }

    private LedgerRow ledgerRow(ResultSet row, Event event, long[] numbers) throws SQLException {
        return new LedgerRow(new Position(numbers[0], numbers[1]), event, row.getString(3), row.getString(4),
                row.getString(5), numbers[2], numbers[3], numbers[4], numbers[5], numbers[6], numbers[7],
                event == Event.SNAPSHOT ? textOfSnapshot(row) : null, numbers[8]);
    }

    private String textOfSnapshot(ResultSet row) throws SQLException {
        return textsOfSnapshots ? row.getString(7) : "";
    }

    /** @param starts of some ids an earlier fold, which these rows go on from */
    StateLog.Reading reading(long sentAt, Map<StateId, Folded> starts) {
        return new StateLog.Reading(new Look(serverTime, sentAt, log, starts), states);
    }

    List<LedgerRow> of(StateId id) {
        return log.getOrDefault(id, List.of());
    }

    int logSize() {
        return logSize;
    }

    Set<StateId> idsWithMoreThan(int rows) {
        return log.entrySet()
                .stream()
                .filter(entry -> entry.getValue().size() > rows)
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(HashSet::new));
    }
}
