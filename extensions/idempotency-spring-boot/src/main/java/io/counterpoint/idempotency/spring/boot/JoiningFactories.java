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
                joined = joined.joining(participant(factory));
            }
        }
        return joined;
    }

    private static JpaParticipant participant(EntityManagerFactory factory) {
        try {
            return JpaParticipant.of(factory);
        } catch (IllegalArgumentException refused) {
            throw new IdempotencyStartException(
                    "Idempotency commits the record and the work in one transaction, and the entities here cannot join"
                            + " it. "
                            + refused.getMessage(),
                    "Give the entities to Hibernate, with transactions of JDBC and not of JTA. Where no protected work"
                            + " uses entities, define a bean of type IdempotencyStore<Connection>, such as"
                            + " SpringIdempotencyStore.on(dataSource).",
                    refused);
        }
    }
}
