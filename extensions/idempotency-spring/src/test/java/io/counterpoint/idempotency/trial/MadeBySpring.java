package io.counterpoint.idempotency.trial;

import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spring.SpringIdempotencyStore;
import jakarta.persistence.EntityManager;
import java.util.Objects;
import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A store whose domain works through Spring. */
enum MadeBySpring implements Made {
    FOR_JDBC_CLIENT {
        @Override
        public IdempotencyStore<Domain> in(TestedDatabase database, DataSource source) {
            Domain domain = new OfJdbcClient(JdbcClient.create(source));
            return SpringIdempotencyStore.on(new JdbcTransactionManager(source), source, database::options)
                    .checkTable()
                    .mapped(unused -> domain);
        }
    },
    FOR_ENTITIES {
        @Override
        public IdempotencyStore<Domain> in(TestedDatabase database, DataSource source) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(source);
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            factory.setManagedTypes(PersistenceManagedTypes.of(CallEffect.class.getName()));
            factory.afterPropertiesSet();
            Domain domain = new OfEntities(SharedEntityManagerCreator.createSharedEntityManager(factory.getObject()));
            JpaTransactionManager manager = new JpaTransactionManager(Objects.requireNonNull(factory.getObject()));
            return SpringIdempotencyStore.on(manager, source, database::options)
                    .checkTable()
                    .mapped(unused -> domain);
        }
    };

    @Override
    public boolean isOfFramework(String caller) {
        return caller.startsWith("org.springframework.") || caller.startsWith("org.hibernate.");
    }

    @Override
    public boolean hasCallbacks() {
        return true;
    }

    private static void afterCompletion(Runnable callback) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                callback.run();
            }

            @Override
            public void afterCompletion(int status) {
                callback.run();
            }
        });
    }

    /** Through JDBC, in what Spring takes for the transaction. */
    private record OfJdbcClient(JdbcClient jdbc) implements Domain {
        @Override
        public void write(String id, String result) {
            jdbc.sql(INSERT).params(id, result).update();
        }

        @Override
        public Optional<String> find(String id) {
            return jdbc.sql(FIND).param(id).query(String.class).optional();
        }

        @Override
        public void atTheEnd(Runnable callback) {
            afterCompletion(callback);
        }
    }

    /** Through entities, which only a flush writes. */
    private record OfEntities(EntityManager entities) implements Domain {
        @Override
        public void write(String id, String result) {
            entities.persist(new CallEffect(id, result));
        }

        @Override
        public Optional<String> find(String id) {
            return entities
                    .createQuery("SELECT e.result FROM CallEffect e WHERE e.id = :id", String.class)
                    .setParameter("id", id)
                    .getResultList()
                    .stream()
                    .findFirst();
        }

        @Override
        public void atTheEnd(Runnable callback) {
            afterCompletion(callback);
        }
    }
}
