package dev.statehouse.clickhouse;

import com.zaxxer.hikari.HikariDataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** Puts the way to ClickHouse together. */
@Configuration(proxyBeanMethods = false)
class ClickHouseConfiguration {

    @Bean
    ClickHouseAddress clickHouseAddress(ClickHouseProperties properties) {
        return ClickHouseAddress.of(properties);
    }

    @Bean
    TableName stateTable(ClickHouseProperties properties) {
        return TableName.of(properties);
    }

    @Bean
    HikariDataSource dataSource(ClickHouseAddress address, ClickHouseProperties properties) {
        return Pool.open(address, properties);
    }

    /** In place of Spring Boot's own, so that whatever is built on a JdbcTemplate leaves values alone. */
    @Bean
    JdbcTemplate jdbcTemplate(HikariDataSource dataSource) {
        return new VerbatimJdbcTemplate(dataSource);
    }

    @Bean
    SchemaKeeper schemaKeeper(TableName table, JdbcTemplate jdbc, ClickHouseAddress address) {
        return new SchemaKeeper(new StateSchema(table), jdbc, address);
    }

    @Bean
    ClickHouse clickHouse(JdbcTemplate jdbc, SchemaKeeper schema, ClickHouseProperties properties) {
        return new ClickHouse(jdbc, schema, properties.poolSize(), properties.timeout());
    }

    @Bean
    ClickHouseStateStore stateStore(ClickHouse clickHouse, TableName table) {
        return new ClickHouseStateStore(clickHouse, table);
    }
}
