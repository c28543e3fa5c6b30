package io.counterpoint.idempotency.spring.boot;

import static io.counterpoint.idempotency.spring.boot.Contexts.analysisOf;
import static io.counterpoint.idempotency.spring.boot.Contexts.bare;
import static io.counterpoint.idempotency.spring.boot.Contexts.h2;
import static io.counterpoint.idempotency.spring.boot.Contexts.onH2;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.servlet.IdempotencyFilter;
import io.counterpoint.idempotency.servlet.ScopeResolver;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.ConnectionFactoryMetadata;
import jakarta.servlet.DispatcherType;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.DelegatingFilterProxyRegistrationBean;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
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

    private static WebApplicationContextRunner behindSecurity(int order) {
        return new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        IdempotencyAutoConfiguration.class, IdempotencyHttpAutoConfiguration.class))
                .withBean("securityFilterChainRegistration", DelegatingFilterProxyRegistrationBean.class, () -> {
                    var security = new DelegatingFilterProxyRegistrationBean("springSecurityFilterChain");
                    security.setOrder(order);
                    return security;
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnFilter {
        @Bean
        FilterRegistrationBean<IdempotencyFilter> own(@Value("${own}") int order) {
            var filter = new FilterRegistrationBean<>(
                    IdempotencyFilter.scopedBy(ScopeResolver.principal()).build());
            filter.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.FORWARD, DispatcherType.ASYNC);
            filter.setOrder(order);
            return filter;
        }
    }

    /** Where anonymous callers are allowed, all would share one scope. */
    @Test
    void filterInFrontOfAuthenticationIsTold() {
        behindSecurity(10)
                .run(context -> assertThat(
                                analysisOf(context.getStartupFailure()).getDescription())
                        .contains("order -90 is not above the order 10 of Spring Security"));
        behindSecurity(10)
                .withPropertyValues("idempotency.http.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
        behindSecurity(10)
                .withBean(ScopeResolver.class, ScopeResolver::anonymous)
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** The property places only the filter of the starter. */
    @Test
    void ownRegistrationOfTheFilterInFrontOfAuthenticationIsTold() {
        behindSecurity(-100)
                .withUserConfiguration(OwnFilter.class)
                .withPropertyValues("own=-200", "idempotency.http.enabled=false")
                .run(context -> assertThat(
                                analysisOf(context.getStartupFailure()).getDescription())
                        .contains("The filter own", "order -200 is not above the order -100"));
        behindSecurity(-100)
                .withUserConfiguration(OwnFilter.class)
                .withPropertyValues("own=0", "idempotency.http.order=-200")
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** A purge that fails each time lets the table grow. */
    @ParameterizedTest
    @CsvSource({
        "max-result-size, 3GB",
        "max-result-size, -1B",
        "max-waiting, 0",
        "max-retries, -1",
        "retention, 0s",
        "settle-within, -1s",
        "wait-at-most, 2h",
        "purge.interval, 0s",
        "purge.batch, 0",
        "metrics.pending-interval, 0s",
        "health.max-clock-skew, -1s",
        "http.retry-after, 0s",
        "http.key-lifetime, 1ms",
        "http.max-request-body, -1B",
        "http.documentation, keys.html",
        "http.required, orders"
    })
    void valueThatCannotWorkIsTold(String property, String value) {
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        IdempotencyAutoConfiguration.class, IdempotencyHttpAutoConfiguration.class))
                .withUserConfiguration(Contexts.OneDataSource.class)
                .withPropertyValues("idempotency.create-table=true", "idempotency." + property + "=" + value)
                .run(context -> {
                    FailureAnalysis analysis = analysisOf(context.getStartupFailure());
                    assertThat(analysis.getDescription())
                            .contains("idempotency." + property + "=", " is not valid: ")
                            .doesNotContain("integer overflow");
                    assertThat(analysis.getAction()).contains("Correct the property");
                });
    }

    @ParameterizedTest
    @CsvSource({
        "purge.batch, 0, purge.enabled=false",
        "metrics.pending-interval, 0s, metrics.pending=false",
        "health.max-clock-skew, -1s, allow any difference"
    })
    void remedyNamesTheSwitchOfThePropertysOwnTask(String property, String value, String remedy) {
        FailureAnalysis analysis = failureOf(
                onH2().withPropertyValues("idempotency.purge.enabled=true", "idempotency." + property + "=" + value));

        assertThat(analysis.getAction()).contains("Correct the property", remedy);
    }

    /** With a retention of 24 ms, a retry would have a second effect. */
    @ParameterizedTest
    @ValueSource(strings = {"retention", "health.max-clock-skew", "http.retry-after", "metrics.pending-interval"})
    void timeWithoutAUnitIsTold(String time) {
        for (String text : new String[] {"24", "+24"}) {
            FailureAnalysis analysis = failureOf(onH2().withPropertyValues("idempotency." + time + "=" + text));

            assertThat(analysis.getDescription()).contains("idempotency." + time + "=" + text + " has no unit");
            assertThat(analysis.getAction()).contains("such as 24h");
        }
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
