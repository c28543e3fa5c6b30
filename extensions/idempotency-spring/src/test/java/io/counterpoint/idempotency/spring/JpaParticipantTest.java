package io.counterpoint.idempotency.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.stream.Stream;
import org.hibernate.dialect.H2Dialect;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.UnexpectedRollbackException;

/** Which factories may join and how they do, and that the store needs none. */
class JpaParticipantTest {

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

    @Test
    void factoryOfAnotherProviderIsRefused() {
        EntityManagerFactory other = (EntityManagerFactory) Proxy.newProxyInstance(
                JpaParticipantTest.class.getClassLoader(),
                new Class<?>[] {EntityManagerFactory.class},
                (proxy, method, arguments) -> {
                    throw new PersistenceException("not mine");
                });
        assertThatThrownBy(() -> JpaParticipant.of(other))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("EclipseLink");
    }

    @Test
    void factoryOfJtaIsRefused() {
        LocalContainerEntityManagerFactoryBean factory = factory();
        factory.getJpaPropertyMap().put("hibernate.transaction.coordinator_class", "jta");
        factory.getJpaPropertyMap().put("hibernate.dialect", H2Dialect.class.getName());
        factory.getJpaPropertyMap().put("hibernate.boot.allow_jdbc_metadata_access", "false");
        factory.afterPropertiesSet();
        try {
            assertThatThrownBy(() -> JpaParticipant.of(factory.getObject()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("JTA");
        } finally {
            factory.destroy();
        }
    }

    @Test
    void factoryOfAnotherDataSourceIsRefused() {
        LocalContainerEntityManagerFactoryBean factory = factory();
        factory.afterPropertiesSet();
        try (Database other = Database.open(Database.Kind.H2)) {
            JpaParticipant participant = JpaParticipant.of(factory.getObject());
            assertThat(database.store().joining(participant)).isNotNull();
            assertThatThrownBy(() -> other.store().joining(participant))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("data source");
        } finally {
            factory.destroy();
        }
    }

    private Outcome<String> write(SpringIdempotencyStore store, Runnable work) {
        return Idempotency.on(store)
                .operation("write", ResultCodec.string())
                .build()
                .execute(Attempt.in("user:1").key("key").request("request"), connection -> {
                    work.run();
                    return "written";
                });
    }

    @Test
    void entitiesOfTwoFactoriesJoin() {
        LocalContainerEntityManagerFactoryBean one = factory();
        LocalContainerEntityManagerFactoryBean two = factory();
        one.afterPropertiesSet();
        two.afterPropertiesSet();
        try {
            SpringIdempotencyStore store = database.store()
                    .joining(JpaParticipant.of(one.getObject()))
                    .joining(JpaParticipant.of(two.getObject()));
            assertThat(write(store, () -> {
                        SharedEntityManagerCreator.createSharedEntityManager(one.getObject())
                                .persist(new Effect("one"));
                        SharedEntityManagerCreator.createSharedEntityManager(two.getObject())
                                .persist(new Effect("two"));
                    }))
                    .isInstanceOf(Outcome.Executed.class);
            assertThat(database.effects()).containsExactlyInAnyOrder("one", "two");
        } finally {
            one.destroy();
            two.destroy();
        }
    }

    /** H2 goes on after an error, so it is Hibernate's own mark that counts. */
    @Test
    void flushThatFailsLeavesNothingAlthoughTheWorkSwallowsItsException() {
        LocalContainerEntityManagerFactoryBean factory = factory();
        factory.afterPropertiesSet();
        try {
            EntityManager entities = SharedEntityManagerCreator.createSharedEntityManager(factory.getObject());
            assertThatThrownBy(() -> write(database.store().joining(JpaParticipant.of(factory.getObject())), () -> {
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
                    .contains("joining");
            assertThatThrownBy(() -> loader.loadClass("jakarta.persistence.EntityManagerFactory"))
                    .isInstanceOf(ClassNotFoundException.class);
        }
    }
}
