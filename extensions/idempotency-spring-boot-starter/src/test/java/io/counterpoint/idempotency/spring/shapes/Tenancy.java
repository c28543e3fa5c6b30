package io.counterpoint.idempotency.spring.shapes;

import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.servlet.ScopeResolver;
import io.counterpoint.idempotency.spring.shapes.web.Work;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.hibernate.annotations.TenantId;
import org.hibernate.context.spi.CurrentTenantIdentifierResolver;
import org.hibernate.engine.jdbc.connections.spi.AbstractDataSourceBasedMultiTenantConnectionProviderImpl;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** An application with two tenants, which a header of a request names. */
@EnableAutoConfiguration
@Import({Surroundings.class, Work.class})
class Tenancy {

    /** How their rows are kept apart. */
    enum Strategy {
        COLUMN("tenants by a column (`@TenantId`)"),
        SCHEMA("tenants by a schema each (`MultiTenantConnectionProvider`)"),
        DATABASE("tenants by a database each (`MultiTenantConnectionProvider`), each with the table"),
        ROUTED("tenants by a database each (`AbstractRoutingDataSource`), each with the table");

        private final String shape;

        Strategy(String shape) {
            this.shape = shape;
        }
    }

    @Entity(name = "Owned")
    static class Owned {
        @Id
        String id = "one";
    }

    @Entity(name = "Owned")
    static class Marked {
        @Id
        String id = "of " + tenant();

        @TenantId
        String tenant;
    }

    private static String tenant() {
        return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes request
                ? request.getRequest().getHeader("X-Tenant")
                : "blue";
    }

    private static final class Current implements CurrentTenantIdentifierResolver<String> {
        @Override
        public String resolveCurrentTenantIdentifier() {
            return tenant();
        }

        @Override
        public boolean validateExistingCurrentSessions() {
            return true;
        }
    }

    /** The pools of the tenants, with their tables. */
    record Pools(Map<Object, Object> pools) implements AutoCloseable {
        DataSource of(String tenant) {
            return (DataSource) pools.get(tenant);
        }

        @Override
        public void close() {
            pools.values().forEach(pool -> ((HikariDataSource) pool).close());
        }
    }

    @Bean
    Pools pools(
            @Value("${tenants}") Strategy strategy,
            @Value("${spring.datasource.url}") String first,
            @Value("${second.url}") String second) {
        HikariDataSource blue = Surroundings.pool(first);
        boolean twoDatabases = strategy == Strategy.DATABASE || strategy == Strategy.ROUTED;
        HikariDataSource green = Surroundings.pool(twoDatabases ? second : first);
        if (strategy == Strategy.SCHEMA) {
            try (HikariDataSource any = Surroundings.pool(first)) {
                new JdbcTemplate(any).execute("CREATE SCHEMA blue");
                new JdbcTemplate(any).execute("CREATE SCHEMA green");
            }
            blue.setSchema(first.startsWith("jdbc:h2") ? "blue".toUpperCase(Locale.ROOT) : "blue");
            green.setSchema(first.startsWith("jdbc:h2") ? "green".toUpperCase(Locale.ROOT) : "green");
        }
        Stream.of(blue, green)
                .limit(strategy == Strategy.COLUMN ? 1 : 2)
                .forEach(pool ->
                        new JdbcTemplate(pool).execute("CREATE TABLE Owned (id VARCHAR(9), tenant VARCHAR(9))"));
        if (twoDatabases) {
            JdbcIdempotencyStore.on(green).createTableIfMissing();
        }
        return new Pools(Map.of("blue", blue, "green", green));
    }

    private static final class Connections extends AbstractDataSourceBasedMultiTenantConnectionProviderImpl<String> {
        private static final long serialVersionUID = 1L;
        private final transient Pools pools;

        Connections(Pools pools) {
            this.pools = pools;
        }

        @Override
        protected DataSource selectAnyDataSource() {
            return pools.of("blue");
        }

        @Override
        protected DataSource selectDataSource(String tenant) {
            return pools.of(tenant);
        }
    }

    @Bean
    DataSource dataSource(Pools pools, @Value("${tenants}") Strategy strategy) {
        AbstractRoutingDataSource routed = new AbstractRoutingDataSource() {
            @Override
            protected Object determineCurrentLookupKey() {
                return tenant();
            }
        };
        routed.setTargetDataSources(pools.pools());
        return strategy == Strategy.ROUTED ? routed : pools.of("blue");
    }

    @Bean
    LocalContainerEntityManagerFactoryBean entityManagerFactory(
            DataSource dataSource, Pools pools, @Value("${tenants}") Strategy strategy) {
        LocalContainerEntityManagerFactoryBean factory =
                Surroundings.factory(dataSource, strategy == Strategy.COLUMN ? Marked.class : Owned.class);
        if (strategy != Strategy.ROUTED) {
            factory.getJpaPropertyMap().put("hibernate.tenant_identifier_resolver", new Current());
        }
        if (strategy == Strategy.SCHEMA || strategy == Strategy.DATABASE) {
            factory.getJpaPropertyMap().put("hibernate.multi_tenant_connection_provider", new Connections(pools));
        }
        return factory;
    }

    @Bean
    ScopeResolver scopes() {
        return request -> Optional.of(request.getHeader("X-Tenant") + ":user:1");
    }

    @Bean
    Routes<String> routes(Work work, EntityManagerFactory factory, @Value("${tenants}") Strategy strategy) {
        EntityManager entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
        Routes<String> routes = new RoutesByName();
        routes.add(
                strategy.shape,
                tenant -> work.run(() -> {
                            entities.persist(strategy == Strategy.COLUMN ? new Marked() : new Owned());
                            entities.flush();
                            return tenant;
                        })
                        + entities.createQuery("select o.id from Owned o").getResultList());
        return routes;
    }
}
