package io.counterpoint.idempotency.spring;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import javax.sql.DataSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.annotation.PersistenceExceptionTranslationPostProcessor;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** An application of Spring's over a test database, with its domain behind proxies. */
final class Application implements AutoCloseable {

    /** How the domain reaches the database. */
    enum Way {
        JDBC,
        JPA
    }

    final Database database;
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

    private Application(Database database, Way way, Class<?>... more) {
        this.database = database;
        context.getBeanFactory().registerSingleton("dataSource", database.pool());
        context.register(way == Way.JDBC ? OfJdbc.class : OfJpa.class);
        if (more.length > 0) {
            context.register(more);
        }
        context.refresh();
    }

    static Application start(Database.Kind kind, Way way, Class<?>... more) {
        return over(Database.open(kind), way, more);
    }

    static Application over(Database database, Way way, Class<?>... more) {
        return new Application(database, way, more);
    }

    @EnableTransactionManagement
    @Configuration(proxyBeanMethods = false)
    static class OfJdbc {
        @Bean
        PlatformTransactionManager transactions(DataSource source) {
            return new DataSourceTransactionManager(source);
        }

        @Bean
        JdbcClient jdbc(DataSource source) {
            return JdbcClient.create(source);
        }

        @Bean
        Effects effects(JdbcClient jdbc) {
            return new JdbcEffects(jdbc);
        }
    }

    @EnableTransactionManagement
    @Configuration(proxyBeanMethods = false)
    static class OfJpa {
        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource source) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(source);
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            factory.setManagedTypes(PersistenceManagedTypes.of(Effect.class.getName(), Account.class.getName()));
            return factory;
        }

        @Bean
        PlatformTransactionManager transactions(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }

        @Bean
        static PersistenceExceptionTranslationPostProcessor translation() {
            return new PersistenceExceptionTranslationPostProcessor();
        }

        @Bean
        EntityManager entities(EntityManagerFactory factory) {
            return SharedEntityManagerCreator.createSharedEntityManager(factory);
        }

        @Bean
        Effects effects(EntityManager entities) {
            return new JpaEffects(entities);
        }
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    EntityManager entities() {
        return context.getBean("entities", EntityManager.class);
    }

    SpringIdempotencyStore store() {
        return database.store(bean(PlatformTransactionManager.class));
    }

    @Override
    public void close() {
        context.close();
        database.close();
    }
}
