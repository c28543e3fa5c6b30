package io.counterpoint.idempotency.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.Isolation;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.hibernate.FlushMode;
import org.hibernate.Session;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Which transaction managers a store takes, and that it needs none of Jakarta Persistence. */
@Tag("thorough")
class TransactionManagersTest {

    private Database database;

    @BeforeEach
    void open() {
        database = Database.open(Database.Kind.H2);
    }

    @AfterEach
    void close() {
        database.close();
    }

    private LocalContainerEntityManagerFactoryBean factory() {
        LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
        factory.setDataSource(database.pool());
        factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
        factory.setManagedTypes(PersistenceManagedTypes.of(Effect.class.getName()));
        return factory;
    }

    private JpaTransactionManager manager(LocalContainerEntityManagerFactoryBean factory) {
        factory.afterPropertiesSet();
        return new JpaTransactionManager(Objects.requireNonNull(factory.getObject()));
    }

    private void isRefused(PlatformTransactionManager manager, String... words) {
        SpringIdempotencyStore store = SpringIdempotencyStore.on(manager, database.pool(), options -> {});
        assertThatThrownBy(store::checkTable)
                .isInstanceOf(MisuseException.class)
                .hasMessageContainingAll(words);
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
        assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
        assertThat(database.pool().getHikariPoolMXBean().getActiveConnections()).isZero();
    }

    @Test
    void managerOfAnotherDataSourceIsRefused() {
        try (Database other = Database.open(Database.Kind.H2)) {
            isRefused(new JdbcTransactionManager(other.pool()), "does not bind a connection");
        }
    }

    @Test
    void managerWithoutCallbacksIsRefused() {
        JdbcTransactionManager manager = new JdbcTransactionManager(database.pool());
        manager.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
        isRefused(manager, "SYNCHRONIZATION_ALWAYS");
    }

    @Test
    void managerWhoseConnectionIsClosedBeforeItsCallbacksIsRefused() {
        LocalContainerEntityManagerFactoryBean factory = factory();
        factory.getJpaPropertyMap()
                .put("hibernate.connection.handling_mode", "DELAYED_ACQUISITION_AND_RELEASE_AFTER_TRANSACTION");
        try {
            isRefused(manager(factory), "DELAYED_ACQUISITION_AND_HOLD");
        } finally {
            factory.destroy();
        }
    }

    @Test
    void managerThatDoesNotSayItsDataSourceNeedsOne() {
        assertThatThrownBy(() -> SpringIdempotencyStore.on(new JtaTransactionManager()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("on(manager, dataSource, options)", "idempotency-jakarta");
    }

    private Outcome<String> write(SpringIdempotencyStore store, Runnable work) {
        return Idempotency.on(store)
                .operation("write", ResultCodec.string())
                .build()
                .execute(Attempt.inScope("user:1").key("key").request("request"), connection -> {
                    work.run();
                    return "written";
                });
    }

    @Test
    void transactionBeginsAsItsCallerOrElseItsStoreDefines() {
        SpringIdempotencyStore store = database.store().isolation(Isolation.SERIALIZABLE);
        DefaultTransactionDefinition definition =
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        definition.setName("pay");
        List<String> seen = new ArrayList<>();
        Runnable work = () -> {
            seen.add(String.valueOf(TransactionSynchronizationManager.getCurrentTransactionName()));
            seen.add(String.valueOf(TransactionSynchronizationManager.getCurrentTransactionIsolationLevel()));
        };

        assertThat(SpringIdempotencyStore.<Outcome<String>, RuntimeException>defined(
                        definition, () -> write(store, work)))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(seen).containsExactly("pay", "" + TransactionDefinition.ISOLATION_SERIALIZABLE);

        seen.clear();
        database.jdbc().update("DELETE FROM idempotency_record");
        definition.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
        assertThat(SpringIdempotencyStore.<Outcome<String>, RuntimeException>defined(
                        definition, () -> write(store, work)))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(seen).containsExactly("pay", "" + TransactionDefinition.ISOLATION_READ_COMMITTED);
    }

    /** As in any transaction of the other manager. */
    @Test
    void entitiesOfAFactoryOfAnotherManagerAreNotWritten() {
        LocalContainerEntityManagerFactoryBean factory = factory();
        factory.afterPropertiesSet();
        try {
            EntityManager entities = SharedEntityManagerCreator.createSharedEntityManager(factory.getObject());
            new TransactionTemplate(new JdbcTransactionManager(database.pool()))
                    .executeWithoutResult(status -> entities.persist(new Effect("without")));
            assertThat(write(database.store(), () -> entities.persist(new Effect("with"))))
                    .isInstanceOf(Outcome.Executed.class);
            assertThat(database.effects()).isEmpty();
        } finally {
            factory.destroy();
        }
    }

    /** H2 goes on after an error, so it is Hibernate's own mark that counts. */
    @Test
    void flushThatFailsLeavesNothingAlthoughTheWorkSwallowsItsException() {
        LocalContainerEntityManagerFactoryBean factory = factory();
        JpaTransactionManager manager = manager(factory);
        try {
            EntityManager entities = SharedEntityManagerCreator.createSharedEntityManager(factory.getObject());
            assertThatThrownBy(() -> write(database.store(manager), () -> {
                        entities.persist(new Effect("stands"));
                        entities.flush();
                        entities.persist(new Effect("too long".repeat(100)));
                        assertThatThrownBy(entities::flush).isInstanceOf(PersistenceException.class);
                        entities.clear();
                    }))
                    .isInstanceOf(UnexpectedRollbackException.class);
            assertThat(database.effects()).isEmpty();
        } finally {
            factory.destroy();
        }
    }

    /** As Spring's template does, which writes nothing either. */
    @Test
    void entitiesOfASessionThatFlushesByHandAreNotWritten() {
        LocalContainerEntityManagerFactoryBean factory = factory();
        JpaTransactionManager manager = manager(factory);
        try {
            EntityManager entities = SharedEntityManagerCreator.createSharedEntityManager(factory.getObject());
            new TransactionTemplate(manager).executeWithoutResult(status -> {
                entities.unwrap(Session.class).setHibernateFlushMode(FlushMode.MANUAL);
                entities.persist(new Effect("without"));
            });
            assertThat(write(database.store(manager), () -> {
                        entities.unwrap(Session.class).setHibernateFlushMode(FlushMode.MANUAL);
                        entities.persist(new Effect("with"));
                    }))
                    .isInstanceOf(Outcome.Executed.class);
            assertThat(database.effects()).isEmpty();
        } finally {
            factory.destroy();
        }
    }

    /** Its commit returns normally, and has rolled back. */
    @Test
    void transactionThatAListenerHasMarkedForRollbackIsNoSuccess() {
        JdbcTransactionManager manager = new JdbcTransactionManager(database.pool());
        manager.addListener(new TransactionExecutionListener() {
            @Override
            public void afterBegin(TransactionExecution transaction, @Nullable Throwable failure) {
                if (transaction.getTransactionName().equals("pay")) {
                    transaction.setRollbackOnly();
                }
            }
        });
        DefaultTransactionDefinition definition = new DefaultTransactionDefinition();
        definition.setName("pay");

        Throwable thrown = catchThrowable(() -> SpringIdempotencyStore.<Outcome<String>, RuntimeException>defined(
                definition,
                () -> write(
                        database.store(manager),
                        () -> database.jdbc().update("INSERT INTO effect (number, id) VALUES ('1', 'lost')"))));

        assertThat(thrown).isInstanceOf(UnexpectedRollbackException.class);
        assertThat(database.effects()).isEmpty();
    }

    @Test
    void everyMethodOfTheStoreCanBeListedWithoutJpa() throws Exception {
        URL[] withoutJpa = Stream.of(
                        SpringIdempotencyStore.class,
                        Idempotency.class,
                        JdbcIdempotencyStore.class,
                        JdbcTemplate.class,
                        PlatformTransactionManager.class,
                        InitializingBean.class,
                        Ordered.class)
                .map(type -> type.getProtectionDomain().getCodeSource().getLocation())
                .distinct()
                .toArray(URL[]::new);
        try (URLClassLoader loader = new URLClassLoader(withoutJpa, ClassLoader.getPlatformClassLoader())) {
            Class<?> store = loader.loadClass(SpringIdempotencyStore.class.getName());
            assertThat(Stream.of(store.getDeclaredMethods()).map(Method::getName))
                    .contains("defined");
            assertThatThrownBy(() -> loader.loadClass("jakarta.persistence.EntityManagerFactory"))
                    .isInstanceOf(ClassNotFoundException.class);
        }
    }
}
