package io.counterpoint.idempotency.spring.boot;

import java.util.Objects;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** Small contexts, on H2 in memory. */
public final class Contexts {

    private Contexts() {}

    /** A context without a database. */
    static ApplicationContextRunner bare() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(IdempotencyAutoConfiguration.class));
    }

    /** A context with a database and, unless said otherwise, the table. */
    public static ApplicationContextRunner onH2() {
        return bare().withUserConfiguration(OneDataSource.class)
                .withPropertyValues("idempotency.create-table=true", "idempotency.purge.enabled=false");
    }

    public static DataSource h2() {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        return dataSource;
    }

    /** What Spring Boot would print. */
    public static FailureAnalysis analysisOf(Throwable failure) {
        return SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, (type, name, failed) -> {
                    // Some of Spring Boot's need a context.
                })
                .stream()
                .filter(analyzer -> analyzer.getClass().getPackage().equals(Contexts.class.getPackage()))
                .map(analyzer -> analyzer.analyze(failure))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no analyzer knows it", failure));
    }

    @Configuration(proxyBeanMethods = false)
    static class OneDataSource {
        @Bean
        DataSource dataSource() {
            return h2();
        }
    }
}
