package io.counterpoint.idempotency.jakarta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Persistence;
import jakarta.persistence.PersistenceException;
import java.sql.Connection;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Entities of both providers join the transaction of an operation, and are written before its result is encoded. */
@Tag("thorough")
class EntitiesTest {

    private final AtomicInteger runs = new AtomicInteger();
    private static final ThreadLocal<EntityManager> CURRENT = new ThreadLocal<>();
    private Database database;
    private EntityManagerFactory factory;

    private void open(String provider) throws Exception {
        database = Database.open(Database.Way.AGROAL);
        database.sql("ALTER TABLE account ADD balance bigint NOT NULL DEFAULT 0");
        factory = Persistence.createEntityManagerFactory(
                provider, Map.of("jakarta.persistence.jtaDataSource", database.dataSource()));
    }

    @AfterEach
    void close() throws Exception {
        factory.close();
        database.close();
    }

    /** A container's entity manager is one for each transaction, too. */
    private Outcome<String> call(String key, Function<EntityManager, String> work) {
        JakartaIdempotencyStore store =
                database.store().flushing(() -> CURRENT.get().flush());
        Operation<Connection, String> operation =
                Idempotency.on(store).operation("op", ResultCodec.string()).build();
        return operation.execute(Attempt.inScope("user:1").key(key).request("r"), unused -> {
            runs.incrementAndGet();
            return work.apply(joined());
        });
    }

    private EntityManager joined() {
        EntityManager entities = factory.createEntityManager();
        entities.joinTransaction();
        CURRENT.set(entities);
        return entities;
    }

    @ParameterizedTest
    @ValueSource(strings = {"hibernate", "eclipselink"})
    void entityAndRecordCommitTogether(String provider) throws Exception {
        open(provider);
        Function<EntityManager, String> work = entities -> {
            entities.persist(new Account("a"));
            return "made";
        };
        assertThat(call("k", work)).isInstanceOf(Outcome.Executed.class);
        assertThat(call("k", work)).isInstanceOf(Outcome.Replayed.class);
        assertThat(database.committed("SELECT id FROM account")).containsExactly("a");
        assertThat(runs).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"hibernate", "eclipselink"})
    void entityOfAFollowUpAndItsMarkAreRolledBackTogetherAndCommitWithTheRetry(String provider) throws Exception {
        open(provider);
        ExternalOperation<String> pay = Idempotency.on(
                        database.store().flushing(() -> CURRENT.get().flush()))
                .external("pay", ResultCodec.string(), unresolved -> Lookup.notYet())
                .then((connection, key, result) -> {
                    joined().persist(new Account(result));
                    if (runs.incrementAndGet() == 1) {
                        CURRENT.get().flush();
                        throw new IllegalStateException("the books are closed");
                    }
                })
                .build();
        Attempt attempt = Attempt.inScope("user:1").key("k").request("r");

        assertThatThrownBy(() -> pay.execute(attempt, key -> "a"))
                .isInstanceOfSatisfying(
                        OutcomeUnknownException.class,
                        owed -> assertThat(owed.reason()).isSameAs(Reason.FOLLOW_UP_OWED));
        assertThat(database.committed("SELECT id FROM account")).isEmpty();
        assertThat(database.committed("SELECT protocol || state FROM idempotency_record"))
                .containsExactly("KP");

        assertThat(pay.execute(attempt, key -> "twice")).isInstanceOf(Outcome.Healed.class);
        assertThat(pay.execute(attempt, key -> "twice").orElseThrow()).isEqualTo("a");
        assertThat(database.committed("SELECT id FROM account")).containsExactly("a");
        assertThat(runs).hasValue(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"hibernate", "eclipselink"})
    void whatTheDatabaseRefusesAtTheFlushIsTheWorksOwnFailure(String provider) throws Exception {
        open(provider);
        database.sql("INSERT INTO account VALUES ('a', 0)");
        Function<EntityManager, String> work = entities -> {
            entities.persist(new Account("a"));
            return "made";
        };
        assertThatThrownBy(() -> call("k", work)).isInstanceOf(PersistenceException.class);
        assertThat(call("k", work))
                .isInstanceOfSatisfying(
                        Outcome.Rejected.class,
                        rejected -> assertThat(rejected.failure().code()).isEqualTo(Failure.CONSTRAINT));
        assertThat(runs).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"hibernate", "eclipselink"})
    void optimisticLockThatDoesNotHoldIsRunAgain(String provider) throws Exception {
        open(provider);
        database.sql("INSERT INTO account VALUES ('a', 0)");
        Outcome<String> outcome = call("k", entities -> {
            entities.find(Account.class, "a").add(1);
            if (runs.get() == 1) {
                rival();
            }
            return "changed";
        });
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(runs).hasValue(2);
        assertThat(database.committed("SELECT version FROM account")).containsExactly("2");
    }

    /** On a connection of its own. */
    private void rival() {
        database.committed("UPDATE account SET version = version + 1 RETURNING version");
    }
}
