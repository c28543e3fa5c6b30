package io.counterpoint.idempotency.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;

/** Hibernate's second-level cache gets what was committed, and nothing else. */
@Tag("matrix")
class SecondLevelCacheTest {

    private final LocalContainerEntityManagerFactoryBean bean = new LocalContainerEntityManagerFactoryBean();
    private Database database;
    private EntityManagerFactory factory;
    private EntityManager entities;
    private Operation<Connection, String> deposit;

    @BeforeEach
    void start() {
        database = Database.open(Database.Kind.H2);
        database.jdbc().update("INSERT INTO account (id, balance, version) VALUES ('a', 0, 0)");
        bean.setDataSource(database.pool());
        bean.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
        bean.setManagedTypes(PersistenceManagedTypes.of(CachedAccount.class.getName()));
        bean.getJpaPropertyMap().put("hibernate.cache.region.factory_class", new MapRegions());
        bean.afterPropertiesSet();
        factory = bean.getObject();
        entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
        deposit = Idempotency.on(database.store(new JpaTransactionManager(factory)))
                .operation("deposit", ResultCodec.string())
                .build();
    }

    @AfterEach
    void stop() {
        bean.destroy();
        database.close();
    }

    private String add() {
        entities.find(CachedAccount.class, "a").add(5);
        return "done";
    }

    /** As a caller sees it whose session is new. */
    private long balance() {
        try (EntityManager fresh = factory.createEntityManager()) {
            return fresh.find(CachedAccount.class, "a").balance();
        }
    }

    private static Attempt attempt() {
        return Attempt.inScope("user:1").key("key").request("request");
    }

    @Test
    void entityIsCachedAsItWasCommitted() {
        assertThat(deposit.execute(attempt(), connection -> add())).isInstanceOf(Outcome.Executed.class);

        assertThat(factory.getCache().contains(CachedAccount.class, "a")).isTrue();
        // Behind the back of the cache, which therefore shows what it has.
        database.jdbc().update("UPDATE account SET balance = 100");
        assertThat(balance()).isEqualTo(5);
    }

    @Test
    void entityThatWasRolledBackIsNotCached() {
        IllegalArgumentException refused = new IllegalArgumentException("refused");
        assertThatThrownBy(() -> deposit.execute(attempt(), connection -> {
                    add();
                    entities.flush();
                    throw refused;
                }))
                .isSameAs(refused);

        assertThat(balance()).isZero();
    }
}
