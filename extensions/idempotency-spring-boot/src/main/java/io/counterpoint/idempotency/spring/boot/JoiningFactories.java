package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.spring.JpaParticipant;
import io.counterpoint.idempotency.spring.SpringIdempotencyStore;
import jakarta.persistence.EntityManagerFactory;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.orm.jpa.EntityManagerFactoryInfo;

/**
 * The factories of entity managers that may join the store's transactions.
 *
 * @param dataSource that of the store; a factory over another one writes elsewhere and cannot join
 * @param factories all of the application
 */
record JoiningFactories(DataSource dataSource, List<EntityManagerFactory> factories) {

    SpringIdempotencyStore join(SpringIdempotencyStore store) {
        SpringIdempotencyStore joined = store;
        for (EntityManagerFactory factory : factories) {
            if (!(factory instanceof EntityManagerFactoryInfo info) || info.getDataSource() == dataSource) {
                joined = joined.joining(JpaParticipant.of(factory));
            }
        }
        return joined;
    }
}
