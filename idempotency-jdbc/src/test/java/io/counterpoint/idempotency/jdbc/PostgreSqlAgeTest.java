package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.session.JdbcSession;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How old a pending record is: by the server's clock, when the record is read. */
@Timeout(60)
class PostgreSqlAgeTest {

    private static final IdempotencyKey ABSENT =
            IdempotencyKey.inScope("user:1").operation("operation").value("absent");
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration WAIT = Duration.ofSeconds(1);

    private final TestDatabase database = TestDatabase.postgresql();
    private final Pending record = FaultySessions.pending();

    @BeforeEach
    void claim() {
        try (Session<Handle> session = database.store().open(TestDatabase.KEY)) {
            session.autoCommit(transaction -> transaction.claim(record, Duration.ofDays(1), WAIT, Durability.DURABLE));
        }
        laterBy("-1 hour");
    }

    private void laterBy(String interval) {
        database.jdbi()
                .useHandle(handle -> handle.execute(
                        "UPDATE idempotency_record SET updated_at = updated_at + CAST(? AS interval)", interval));
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void everyReadReturnsTheAge() {
        assertThat(agesByEveryRead())
                .hasSize(4)
                .allSatisfy(age -> assertThat(age).isBetween(HOUR, HOUR.plusMinutes(1)));
    }

    /** A statement that is alone may see what was claimed after it began. */
    @Test
    void recordOfLaterThanTheReadIsNotOlderThanNothing() {
        laterBy("2 hours");
        assertThat(agesByEveryRead()).hasSize(4).containsOnly(Duration.ZERO);
    }

    private List<Duration> agesByEveryRead() {
        List<Duration> ages = new ArrayList<>();
        ages.add(age(database.store().read(record.key())));
        try (Session<Handle> session = database.store().open(TestDatabase.KEY)) {
            ages.add(session.inTransaction((transaction, scope) -> age(transaction.read(record.key()))));
            ages.add(session.inTransaction((transaction, scope) -> age(transaction.lock(record.key(), WAIT))));
        }
        try (JdbcSession<Handle> session =
                (JdbcSession<Handle>) database.store().open(TestDatabase.KEY)) {
            Map<IdempotencyKey, IdempotencyRecord> found = TestDatabase.readAll(session, Set.of(record.key(), ABSENT));
            ages.add(age(Optional.ofNullable(found.get(record.key()))));
        }
        return ages;
    }

    @Test
    void readAndLockInATransactionSeeMoreThanItsBegin() {
        List<Duration> ages = new ArrayList<>();
        try (Session<Handle> session = database.store().open(TestDatabase.KEY)) {
            Done unused = session.inTransaction((transaction, scope) -> {
                ages.add(age(transaction.read(record.key())));
                ages.add(age(transaction.read(record.key())));
                ages.add(age(transaction.lock(record.key(), Duration.ZERO)));
                return Done.DONE;
            });
        }
        assertThat(ages).hasSize(3).isSorted().doesNotHaveDuplicates();
    }

    private static Duration age(Optional<IdempotencyRecord> found) {
        return found.orElseThrow()
                .fold(
                        Pending::age,
                        succeeded -> {
                            throw new AssertionError("The record has succeeded");
                        },
                        failed -> {
                            throw new AssertionError("The record has failed");
                        });
    }
}
