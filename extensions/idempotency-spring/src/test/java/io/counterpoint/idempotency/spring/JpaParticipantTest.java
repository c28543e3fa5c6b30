package io.counterpoint.idempotency.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
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
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;

/** Which factories may join, and that the store needs none. */
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
