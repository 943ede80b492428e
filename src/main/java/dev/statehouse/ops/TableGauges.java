package dev.statehouse.ops;

import java.util.List;
import java.util.function.ToDoubleFunction;

import dev.statehouse.ledger.Time;
import dev.statehouse.state.TableSizes;
import dev.statehouse.state.TableSizes.TableSize;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.stereotype.Component;

/** How large the tables are, as ClickHouse says: the same at all instances. */
@Component
final class TableGauges {

    private static final List<String> TABLES = List.of("state", "ledger");

    TableGauges(MeterRegistry registry, TableSizes tables, Time time) {
        Survey<List<TableSize>> survey = new Survey<>("tables", tables::sizes, time);
        for (String table : TABLES) {
            gauge(registry, survey, table, "statehouse.table.parts", "Parts that a table is made of", TableSize::parts);
            gauge(registry, survey, table, "statehouse.table.rows", "Rows in a table, replaced ones included",
                    TableSize::rows);
            gauge(registry, survey, table, "statehouse.table.bytes", "What a table takes on disk", TableSize::bytes);
        }
    }

    private static void gauge(MeterRegistry registry, Survey<List<TableSize>> survey, String table, String name,
            String description, ToDoubleFunction<TableSize> part) {
        Gauge.builder(name, () -> survey.read(sizes -> of(sizes, table, part)))
                .description(description)
                .tag("table", table)
                .register(registry);
    }

    private static double of(List<TableSize> sizes, String table, ToDoubleFunction<TableSize> part) {
        return sizes.stream()
                .filter(size -> size.name().equals(table))
                .mapToDouble(part)
                .findFirst()
                .orElse(Double.NaN);
    }
}
