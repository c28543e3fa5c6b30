package io.counterpoint.idempotency.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import jakarta.persistence.EntityManagerFactory;
import jakarta.transaction.UserTransaction;
import java.lang.reflect.Proxy;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.EclipseLinkJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.jta.JtaTransactionManager;

/** Whole applications whose transactions cannot be those of operations: they do not start, and say what to do. */
class RefusedTransactionsTest {

    private static FailureAnalysis failureOfStarting(Class<?>... application) {
        Throwable failure = catchThrowable(() -> {
            try (ConfigurableApplicationContext started = new SpringApplicationBuilder(application)
                    .web(WebApplicationType.NONE)
                    .run(
                            "--idempotency.create-table=true",
                            "--spring.datasource.url=jdbc:h2:mem:refused",
                            "--spring.jpa.hibernate.ddl-auto=create",
                            "--spring.flyway.enabled=false",
                            "--spring.liquibase.enabled=false",
                            "--spring.main.banner-mode=off",
                            "--logging.level.root=OFF")) {
                assertThat(started.isRunning())
                        .as("the application must not start")
                        .isFalse();
            }
        });
        return Contexts.analysisOf(failure);
    }

    @Test
    void applicationWithJtaDoesNotStart() {
        FailureAnalysis analysis = failureOfStarting(WithJta.class);

        assertThat(analysis.getDescription()).contains("one transaction of one database", "JTA");
        assertThat(analysis.getAction()).contains("without JTA", "idempotency.enabled=false");
    }

    @Test
    void applicationWithSeveralManagersOfTheDataSourceDoesNotStart() {
        FailureAnalysis analysis = failureOfStarting(WithTwoManagers.class);

        assertThat(analysis.getDescription()).contains("several belong", "one", "two");
        assertThat(analysis.getAction()).contains("@Primary", "IdempotencyStore<Connection>");
    }

    @Test
    void applicationWhoseManagersAreOfOtherDataSourcesDoesNotStart() {
        FailureAnalysis analysis = failureOfStarting(WithManagersOfOthers.class);

        assertThat(analysis.getDescription()).contains("none belongs", "one", "two");
        assertThat(analysis.getAction()).contains("@IdempotencyDataSource");
    }

    @Test
    void applicationWithEclipseLinkDoesNotStart() {
        Contexts.onH2().withUserConfiguration(WithEclipseLink.class).run(context -> {
            FailureAnalysis analysis = Contexts.analysisOf(context.getStartupFailure());

            assertThat(analysis.getDescription()).contains("was already closed", "EclipseLink");
        });
    }

    /** Entities without Hibernate. */
    @Configuration(proxyBeanMethods = false)
    static class WithEclipseLink {
        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(dataSource);
            factory.setJpaVendorAdapter(new EclipseLinkJpaVendorAdapter());
            factory.setManagedTypes(PersistenceManagedTypes.of());
            factory.setJpaPropertyMap(Map.of("eclipselink.weaving", "false"));
            return factory;
        }

        @Bean
        PlatformTransactionManager transactionManager(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }
    }

    /** The transactions of an application server, which nobody begins here. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
                "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration"
            })
    static class WithJta {
        @Bean
        JtaTransactionManager transactionManager() {
            return new JtaTransactionManager((UserTransaction) Proxy.newProxyInstance(
                    WithJta.class.getClassLoader(),
                    new Class<?>[] {UserTransaction.class},
                    (proxy, method, arguments) -> {
                        throw new UnsupportedOperationException(method.getName());
                    }));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithTwoManagers {
        @Bean
        PlatformTransactionManager one(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        PlatformTransactionManager two(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithManagersOfOthers {
        @Bean
        PlatformTransactionManager one() {
            return new JdbcTransactionManager(Contexts.h2());
        }

        @Bean
        PlatformTransactionManager two() {
            return new JdbcTransactionManager(Contexts.h2());
        }
    }
}
