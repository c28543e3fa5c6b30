package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyStore.Session;
import io.counterpoint.idempotency.spi.StoreTransaction.Durability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How old a pending record is: by the server's clock, when the record is read. */
@Timeout(60)
class PostgreSqlAgeTest {

    private static final IdempotencyKey KEY = new IdempotencyKey("user:1", "operation", "key-1");
    private static final IdempotencyKey ABSENT = new IdempotencyKey("user:1", "operation", "absent");
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration WAIT = Duration.ofSeconds(1);

    private final TestDatabase database = TestDatabase.postgresql();

    @BeforeEach
    void claim() {
        try (Session<Handle> session = database.store().open()) {
            Pending record = new Pending(
                    KEY,
                    Protocol.CLAIM_FIRST,
                    UUID.randomUUID(),
                    Fingerprint.of("request"),
                    Optional.empty(),
                    Duration.ZERO);
            session.alone(transaction ->
                    transaction.claim(record, Duration.ofDays(1), Duration.ofSeconds(1), Durability.DURABLE));
        }
        database.jdbi()
                .useHandle(handle ->
                        handle.execute("UPDATE idempotency_record SET updated_at = updated_at - interval '1 hour'"));
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void everyReadTellsIt() {
        List<Duration> ages = new ArrayList<>();
        ages.add(age(database.store().read(KEY)));
        try (Session<Handle> session = database.store().open()) {
            ages.add(session.inTransaction(transaction -> age(transaction.read(KEY))));
            ages.add(session.inTransaction(transaction -> age(transaction.lock(KEY, WAIT))));
        }
        try (JdbiSession<Handle> session =
                (JdbiSession<Handle>) database.store().open()) {
            Map<IdempotencyKey, IdempotencyRecord> found = session.readAll(Set.of(KEY, ABSENT));
            ages.add(age(Optional.ofNullable(found.get(KEY))));
        }
        assertThat(ages).hasSize(4).allSatisfy(age -> assertThat(age).isBetween(HOUR, HOUR.plusMinutes(1)));
    }

    @Test
    void readAndLockInATransactionTellMoreThanItsBeginDoes() {
        List<Duration> ages = new ArrayList<>();
        try (Session<Handle> session = database.store().open()) {
            Done unused = session.inTransaction(transaction -> {
                ages.add(age(transaction.read(KEY)));
                ages.add(age(transaction.read(KEY)));
                ages.add(age(transaction.lock(KEY, Duration.ZERO)));
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
