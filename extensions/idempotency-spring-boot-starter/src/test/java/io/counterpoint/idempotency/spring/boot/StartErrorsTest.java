package io.counterpoint.idempotency.spring.boot;

import static io.counterpoint.idempotency.spring.boot.Contexts.analysisOf;
import static io.counterpoint.idempotency.spring.boot.Contexts.bare;
import static io.counterpoint.idempotency.spring.boot.Contexts.h2;
import static io.counterpoint.idempotency.spring.boot.Contexts.onH2;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Idempotency;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.ConnectionFactoryMetadata;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.jta.JtaTransactionManager;

/** Applications that cannot keep the promises do not start, and say what to do. */
class StartErrorsTest {

    private static FailureAnalysis failureOf(ApplicationContextRunner runner) {
        FailureAnalysis[] analysis = new FailureAnalysis[1];
        runner.run(context -> analysis[0] = analysisOf(context.getStartupFailure()));
        return analysis[0];
    }

    @Test
    void missingTableIsToldWithTheWaysToMakeIt() {
        FailureAnalysis analysis = failureOf(onH2().withPropertyValues("idempotency.create-table=false"));

        assertThat(analysis.getDescription()).contains("idempotency_record", "the table does not exist", "h2.sql");
        assertThat(analysis.getAction())
                .contains("classpath:db/idempotency/{vendor}", "classpath:db/idempotency/changelog.xml")
                .contains("idempotency.create-table=true");
    }

    @Test
    void tableIsNotCheckedWhereThatIsOff() {
        onH2().withPropertyValues("idempotency.create-table=false", "idempotency.check-table=false")
                .run(context -> assertThat(context.getStartupFailure()).isNull());
    }

    /** Where anonymous callers are allowed, all would share one scope. */
    @Test
    void filterInFrontOfAuthenticationIsTold() {
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        IdempotencyAutoConfiguration.class, IdempotencyHttpAutoConfiguration.class))
                .withPropertyValues("spring.security.filter.order=10")
                .run(context -> assertThat(
                                analysisOf(context.getStartupFailure()).getDescription())
                        .contains("idempotency.http.order=-90 is not above spring.security.filter.order=10"));
    }

    /** With a retention of 24 ms, a retry would have a second effect. */
    @ParameterizedTest
    @ValueSource(strings = {"retention", "health.max-clock-skew", "http.retry-after", "metrics.pending-interval"})
    void timeWithoutAUnitIsTold(String time) {
        FailureAnalysis analysis = failureOf(onH2().withPropertyValues("idempotency." + time + "=24"));

        assertThat(analysis.getDescription()).contains("idempotency." + time + "=24 has no unit");
        assertThat(analysis.getAction()).contains("24h");
    }

    @Test
    void severalDataSourcesNeedAChoice() {
        FailureAnalysis analysis = failureOf(bare().withUserConfiguration(TwoDataSources.class));

        assertThat(analysis.getDescription()).contains("several data sources", "orders", "reports");
        assertThat(analysis.getAction()).contains("@IdempotencyDataSource", "@Primary");
    }

    @Test
    void markedOrPrimaryDataSourceIsTaken() {
        bare().withUserConfiguration(MarkedDataSource.class)
                .withPropertyValues("idempotency.create-table=true")
                .run(context -> assertThat(context.getBean(RecordDatabase.class).dataSource())
                        .isSameAs(context.getBean("orders")));
        bare().withUserConfiguration(PrimaryDataSource.class)
                .withPropertyValues("idempotency.create-table=true")
                .run(context -> assertThat(context.getBean(RecordDatabase.class).dataSource())
                        .isSameAs(context.getBean("orders")));
    }

    @Test
    void coalescedReadsOfADataSourceThatRoutesByThreadAreRefused() {
        AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
            @Override
            protected Object determineCurrentLookupKey() {
                return "tenant";
            }
        };
        routing.setTargetDataSources(Map.of("tenant", h2()));
        FailureAnalysis analysis = failureOf(bare().withBean(DataSource.class, () -> routing)
                .withPropertyValues("idempotency.coalesced-reads=true"));

        assertThat(analysis.getDescription()).contains("chooses a database by the calling thread");
        assertThat(analysis.getAction()).contains("CoalescingStore");
    }

    @Test
    void jtaIsRefused() {
        FailureAnalysis analysis =
                failureOf(onH2().withBean(JtaTransactionManager.class, () -> new JtaTransactionManager() {
                    @Override
                    public void afterPropertiesSet() {
                        // There is no JTA here.
                    }
                }));

        assertThat(analysis.getDescription()).contains("JTA");
    }

    @Test
    void reactiveAccessAloneIsRefused() {
        FailureAnalysis analysis = failureOf(bare().withBean(ConnectionFactory.class, Reactive::new));

        assertThat(analysis.getDescription()).contains("R2DBC");
        assertThat(analysis.getAction()).contains("DataSource");
    }

    @Test
    void otherDatabaseIsRefusedByItsName() {
        FailureAnalysis analysis = failureOf(bare().withBean(DataSource.class, () -> named("Oracle")));

        assertThat(analysis.getDescription()).contains("There is no dialect for Oracle");
        assertThat(analysis.getAction()).contains("@IdempotencyDataSource").doesNotContain("idempotency.create-table");
    }

    @Test
    void unreachableDatabaseIsToldWithItsState() {
        FailureAnalysis analysis = failureOf(bare().withBean(DataSource.class, () -> new DelegatingDataSource(h2()) {
            @Override
            public Connection getConnection() throws SQLException {
                throw new SQLException("refused by secret-host", "08001");
            }
        }));

        assertThat(analysis.getDescription()).contains("08001").doesNotContain("secret-host");
    }

    @Test
    void contextWithoutAnyDatabaseIsLeftAlone() {
        bare().run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Idempotency.class));
    }

    private static DataSource named(String product) {
        return new DelegatingDataSource(h2()) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection real = super.getConnection();
                DatabaseMetaData metaData =
                        answering(DatabaseMetaData.class, "getDatabaseProductName", product, real.getMetaData());
                return answering(Connection.class, "getMetaData", metaData, real);
            }
        };
    }

    private static <T> T answering(Class<T> type, String name, Object answer, T real) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, args) -> method.getName().equals(name) ? answer : method.invoke(real, args)));
    }

    private static final class Reactive implements ConnectionFactory {
        @Override
        public Publisher<? extends io.r2dbc.spi.Connection> create() {
            throw new UnsupportedOperationException();
        }

        @Override
        public ConnectionFactoryMetadata getMetadata() {
            return () -> "none";
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoDataSources {
        @Bean
        DataSource orders() {
            return h2();
        }

        @Bean
        DataSource reports() {
            return h2();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class MarkedDataSource {
        @Bean
        @IdempotencyDataSource
        DataSource orders() {
            return h2();
        }

        @Bean
        @Primary
        DataSource reports() {
            return h2();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PrimaryDataSource {
        @Bean
        @Primary
        DataSource orders() {
            return h2();
        }

        @Bean
        DataSource reports() {
            return h2();
        }
    }
}
