package bench;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** What there would be without locks, preconditions and promises: a PUT that is one INSERT, by Spring and JDBC. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration(excludeName = {"org.springdoc.webmvc.ui.SwaggerConfig",
        "org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration",
        "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration",
        "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration",
        "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
        "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration"})
class BareService {

    @Bean
    HikariDataSource dataSource(org.springframework.core.env.Environment environment) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(environment.getRequiredProperty("bare.url"));
        pool.setUsername(environment.getRequiredProperty("bare.user"));
        pool.setPassword(environment.getRequiredProperty("bare.password"));
        pool.setMaximumPoolSize(8);
        return pool;
    }

    @Bean
    BarePuts puts(DataSource dataSource, org.springframework.core.env.Environment environment) {
        return new BarePuts(new JdbcTemplate(dataSource), environment.getRequiredProperty("bare.table"));
    }
}
