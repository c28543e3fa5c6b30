package io.counterpoint.idempotency.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import org.hibernate.context.spi.CurrentTenantIdentifierResolver;
import org.hibernate.engine.jdbc.connections.spi.AbstractMultiTenantConnectionProvider;
import org.hibernate.engine.jdbc.connections.spi.ConnectionProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Tenants of Hibernate's, each with a schema of its own: an operation writes to that of its caller. */
class TenantsTest {

    private static final ThreadLocal<@Nullable String> TENANT = new ThreadLocal<>();

    private final LocalContainerEntityManagerFactoryBean bean = new LocalContainerEntityManagerFactoryBean();
    private Database database;
    private EntityManagerFactory factory;
    private EntityManager entities;
    private JpaTransactionManager manager;

    /** Sets the schema of each connection. */
    private final class Schemas extends AbstractMultiTenantConnectionProvider<String> {
        private static final long serialVersionUID = 1L;

        @Override
        protected ConnectionProvider getAnyConnectionProvider() {
            return selectConnectionProvider("public");
        }

        @Override
        protected ConnectionProvider selectConnectionProvider(String tenant) {
            return new ConnectionProvider() {
                private static final long serialVersionUID = 1L;

                @Override
                public Connection getConnection() throws SQLException {
                    Connection connection = database.pool().getConnection();
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("SET SCHEMA " + tenant);
                    }
                    return connection;
                }

                @Override
                public void closeConnection(Connection connection) throws SQLException {
                    if (!connection.isClosed()) {
                        try (Statement statement = connection.createStatement()) {
                            statement.execute("SET SCHEMA PUBLIC");
                        }
                    }
                    connection.close();
                }

                @Override
                public boolean supportsAggressiveRelease() {
                    return false;
                }

                @Override
                public boolean isUnwrappableAs(Class<?> type) {
                    return false;
                }

                @Override
                public <T> T unwrap(Class<T> type) {
                    throw new UnsupportedOperationException();
                }
            };
        }
    }

    private static final class Current implements CurrentTenantIdentifierResolver<String> {
        @Override
        public String resolveCurrentTenantIdentifier() {
            String tenant = TENANT.get();
            return tenant == null ? "public" : tenant;
        }

        @Override
        public boolean validateExistingCurrentSessions() {
            return true;
        }
    }

    @BeforeEach
    void start() {
        database = Database.open(Database.Kind.H2);
        for (String tenant : List.of("blue", "green")) {
            database.jdbc().execute("CREATE SCHEMA " + tenant);
            database.jdbc().execute("CREATE TABLE " + tenant + ".effect AS SELECT * FROM public.effect");
        }
        bean.setDataSource(database.pool());
        bean.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
        bean.setManagedTypes(PersistenceManagedTypes.of(Effect.class.getName()));
        bean.getJpaPropertyMap().put("hibernate.multi_tenant_connection_provider", new Schemas());
        bean.getJpaPropertyMap().put("hibernate.tenant_identifier_resolver", new Current());
        bean.afterPropertiesSet();
        factory = Objects.requireNonNull(bean.getObject());
        entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
        manager = new JpaTransactionManager(factory);
    }

    @AfterEach
    void stop() {
        TENANT.remove();
        bean.destroy();
        database.close();
    }

    private Operation<Connection, String> write(SpringIdempotencyStore store) {
        return Idempotency.on(store).operation("write", ResultCodec.string()).build();
    }

    private Outcome<String> write(Operation<Connection, String> operation, String tenant, String scope) {
        TENANT.set(tenant);
        return operation.execute(Attempt.inScope(scope).key("k").request("request"), connection -> {
            entities.persist(new Effect("of " + tenant));
            return tenant;
        });
    }

    private List<String> effects(String tenant) {
        return database.jdbc().queryForList("SELECT id FROM " + tenant + ".effect", String.class);
    }

    private void inRequest(boolean session, Runnable request) {
        if (!session) {
            request.run();
            return;
        }
        try (EntityManager outer = factory.createEntityManager()) {
            TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(outer));
            try {
                request.run();
            } finally {
                TransactionSynchronizationManager.unbindResource(factory);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eachTenantsEffectIsInItsOwnSchema(boolean inSession) {
        Operation<Connection, String> operation = write(SpringIdempotencyStore.on(
                        manager, database.pool(), options -> options.table("public.idempotency_record"))
                .checkTable());
        for (String tenant : List.of("blue", "green")) {
            TENANT.set(tenant);
            inRequest(
                    inSession,
                    () -> assertThat(write(operation, tenant, tenant + ":user:1"))
                            .isInstanceOf(Outcome.Executed.class));
        }
        assertThat(effects("blue")).containsExactly("of blue");
        assertThat(effects("green")).containsExactly("of green");
        assertThat(effects("public")).isEmpty();
    }

    @Test
    void scopeThatDoesNotNameTheTenantIsRefused() {
        Operation<Connection, String> operation = write(SpringIdempotencyStore.on(
                        manager, database.pool(), options -> options.table("public.idempotency_record"))
                .checkTable());

        assertThatThrownBy(() -> write(operation, "blue", "user:1"))
                .isInstanceOf(MisuseException.class)
                .hasMessageContainingAll("tenant", "scope");
        assertThat(effects("blue")).isEmpty();
    }
}
