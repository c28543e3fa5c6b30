package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.session.JdbcSession;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.StoreException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A record answers for its own key and for no other, whatever the database takes for equal. */
@Timeout(60)
class ExactKeysTest {

    private static final Duration WAIT = Duration.ofSeconds(1);
    private static final Duration DAY = Duration.ofDays(1);

    private TestDatabase database;

    enum Kind {
        H2("VARCHAR_IGNORECASE(255)"),
        POSTGRESQL("varchar(255) COLLATE caseless");

        private final String type;

        Kind(String type) {
            this.type = type;
        }
    }

    @AfterEach
    void close() {
        database.close();
    }

    private JdbiIdempotencyStore ordinary(Kind kind) {
        database = kind == Kind.H2 ? TestDatabase.h2() : TestDatabase.postgresql();
        return database.store();
    }

    private JdbiIdempotencyStore caseless(Kind kind) {
        JdbiIdempotencyStore store = ordinary(kind);
        database.jdbi().useHandle(handle -> {
            if (kind == Kind.POSTGRESQL) {
                handle.execute("CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2',"
                        + " deterministic = false)");
            }
            for (String column : new String[] {"scope", "operation", "key_value"}) {
                handle.execute("ALTER TABLE idempotency_record ALTER COLUMN " + column
                        + (kind == Kind.POSTGRESQL ? " TYPE " : " SET DATA TYPE ") + kind.type);
            }
        });
        return store;
    }

    @ParameterizedTest
    @EnumSource
    void answerOfAnotherScopeIsNeverReplayed(Kind kind) {
        JdbiIdempotencyStore store = caseless(kind);
        for (boolean single : new boolean[] {false, true}) {
            assertThat(call(store, single, "user:A")).isInstanceOf(Outcome.Executed.class);
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> call(store, single, "user:a"))
                        .isInstanceOf(NotStartedException.class)
                        .hasStackTraceContaining("the record of another key")
                        .hasStackTraceContaining("collation");
            }
            assertThat(call(store, single, "user:A")).isInstanceOf(Outcome.Replayed.class);
        }
        assertThat(database.effects()).containsOnly("user:A").hasSize(2);
        assertThat(database.<Integer>one("SELECT count(*) FROM idempotency_record", Integer.class))
                .isEqualTo(2);
    }

    private static Outcome<String> call(JdbiIdempotencyStore store, boolean single, String scope) {
        Operation.Builder<Handle, String> operation =
                Idempotency.on(store).operation("operate-" + single, ResultCodec.string());
        return (single ? operation.protocol(Operation.Protocol.SINGLE_TRANSACTION) : operation)
                .build()
                .execute(Attempt.inScope(scope).key("key").request("request"), handle -> {
                    TestDatabase.write(handle, scope);
                    return scope;
                });
    }

    @ParameterizedTest
    @EnumSource
    void everyStepRefusesTheRecordOfAnotherKey(Kind kind) {
        JdbiIdempotencyStore store = caseless(kind);
        claim(store, pending(key("user:A", "operation", "key")));
        for (IdempotencyKey other : keys("user:a", "OPERATION", "KEY")) {
            refused(store, () -> store.read(other));
            refused(store, () -> new CoalescingStore<>(store, 0, () -> "one").read(other));
            refused(store, () -> in(store, session -> TestDatabase.readAll(session, Set.of(other))));
            refused(
                    store,
                    () -> in(store, session -> TestDatabase.readAll(session, Set.of(other, key("user:B", "b", "b")))));
            refused(store, () -> claim(store, pending(other)));
            refused(
                    store,
                    () -> in(store, session -> session.claimAndLock(pending(other), DAY, WAIT, Durability.DURABLE)));
            for (Duration wait : new Duration[] {Duration.ZERO, WAIT}) {
                refused(
                        store,
                        () -> in(store, session -> session.inTransaction((step, scope) -> step.lock(other, wait))));
            }
        }
    }

    /** Two keys that the database takes for one: the read reports neither of them as absent. */
    @ParameterizedTest
    @EnumSource
    void batchWithBothKeysIsRefused(Kind kind) {
        JdbiIdempotencyStore store = caseless(kind);
        IdempotencyKey here = key("user:A", "operation", "key");
        claim(store, pending(here));
        refused(
                store,
                () -> in(
                        store,
                        session -> TestDatabase.readAll(session, Set.of(here, key("user:a", "operation", "key")))));
    }

    @ParameterizedTest
    @EnumSource
    void keysOfOneBatchEachGetTheirOwnRecord(Kind kind) {
        JdbiIdempotencyStore store = ordinary(kind);
        Map<IdempotencyKey, IdempotencyRecord> expected = new LinkedHashMap<>();
        Set<IdempotencyKey> wanted = new LinkedHashSet<>();
        for (int i = 0; i < CoalescedReads.BATCH; i++) {
            // Neither sorted, nor in order of insertion, nor all there.
            IdempotencyKey key = key("user:" + i % 3, "operation-" + i % 2, "key-" + (i * 37) % 64);
            wanted.add(key);
            if (i % 5 != 0) {
                Succeeded record = new Succeeded(
                        key,
                        Protocol.SINGLE_TRANSACTION,
                        new UUID(i, i),
                        Fingerprint.ofParts(key.toString()),
                        Optional.of(Payload.of(new byte[] {(byte) i})));
                claim(store, record);
                expected.put(key, record);
            }
        }
        Map<IdempotencyKey, IdempotencyRecord> found = in(store, session -> TestDatabase.readAll(session, wanted));
        assertThat(found).isEqualTo(expected);
    }

    private static Set<IdempotencyKey> keys(String scope, String operation, String value) {
        Set<IdempotencyKey> keys = new LinkedHashSet<>();
        keys.add(key(scope, "operation", "key"));
        keys.add(key("user:A", operation, "key"));
        keys.add(key("user:A", "operation", value));
        return keys;
    }

    private void refused(JdbiIdempotencyStore store, ThrowingCallable step) {
        assertThatThrownBy(step)
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("the record of another key")
                .hasMessageContaining("checkTable()")
                .satisfies(thrown -> assertThat(store.classify(thrown)).isEqualTo(Fault.STATEMENT_REFUSED));
        assertThat(database.pool().getHikariPoolMXBean().getActiveConnections()).isZero();
    }

    private static Optional<IdempotencyRecord> claim(JdbiIdempotencyStore store, IdempotencyRecord record) {
        return in(store, session -> session.autoCommit(step -> step.claim(record, DAY, WAIT, Durability.DURABLE)));
    }

    private static <T> T in(JdbiIdempotencyStore store, Function<JdbcSession<Handle>, T> steps) {
        try (Session<Handle> session = store.open(TestDatabase.KEY)) {
            return steps.apply((JdbcSession<Handle>) session);
        }
    }

    private static IdempotencyKey key(String scope, String operation, String value) {
        return IdempotencyKey.inScope(scope).operation(operation).value(value);
    }

    private static Pending pending(IdempotencyKey key) {
        return new Pending(
                key,
                Protocol.CLAIM_FIRST,
                UUID.randomUUID(),
                Fingerprint.ofParts("request"),
                Optional.empty(),
                Duration.ZERO);
    }
}
