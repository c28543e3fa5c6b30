package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.PlannedOperation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.Session;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A session of the server is left as it was, whatever the library did in it. */
@Tag("thorough")
@Timeout(60)
class PostgreSqlSessionTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration DAY = Duration.ofDays(1);
    private static final String BEFORE = "local 7s read committed";

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void settingsAreAsBeforeAfterEveryKindOfCall(boolean autoCommit) {
        try (TestDatabase database = TestDatabase.postgresql("synchronous_commit=local", "lock_timeout=7s");
                TestDatabase one = database.with(config -> {
                    config.setMaximumPoolSize(1);
                    config.setAutoCommit(autoCommit);
                })) {
            assertThat(settings(one)).isEqualTo(BEFORE);
            calls(one).forEach((call, run) -> {
                run.run();
                assertThat(settings(one)).as(call).isEqualTo(BEFORE);
            });
        }
    }

    private static Map<String, Runnable> calls(TestDatabase database) {
        Map<String, Runnable> calls = new LinkedHashMap<>();
        JdbiIdempotencyStore store = database.store();
        for (JdbiIdempotencyStore of : new JdbiIdempotencyStore[] {
            store, store.toBuilder().durableClaims(true).build()
        }) {
            for (boolean single : new boolean[] {false, true}) {
                Operation.Builder<Handle, String> builder = Idempotency.on(of)
                        .operation("operate-" + calls.size(), ResultCodec.string())
                        .releaseOn(UnsupportedOperationException.class::isInstance);
                Operation<Handle, String> operation =
                        (single ? builder.protocol(Operation.Protocol.SINGLE_TRANSACTION) : builder).build();
                PlannedOperation<Handle, String> planned = builder.planned().build();
                String name = of + (single ? " single" : " claim first") + calls.size();
                calls.put(name + " leads", () -> executes(operation, "key"));
                calls.put(
                        name + " replays",
                        () -> assertThat(operation.execute(attempt("key"), handle -> "no"))
                                .isInstanceOf(Outcome.Replayed.class));
                calls.put(
                        name + " plans",
                        () -> assertThat(planned.execute(
                                        attempt("planned"),
                                        () -> "plan",
                                        (handle, plan) -> TestDatabase.write(handle, plan)))
                                .isInstanceOf(Outcome.Executed.class));
                calls.put(
                        name + " fails", () -> throwsOn(operation, "failed", new IllegalArgumentException("failure")));
                calls.put(
                        name + " releases",
                        () -> throwsOn(operation, "released", new UnsupportedOperationException("release")));
            }
        }
        calls.put(
                "external",
                () -> assertThat(Idempotency.on(store)
                                .external("external", ResultCodec.string(), unresolved -> Lookup.notYet())
                                .build()
                                .execute(attempt("external"), key -> "done"))
                        .isInstanceOf(Outcome.Executed.class));
        calls.put("steps alone", () -> steps(store));
        calls.put(
                "reads",
                () -> assertThat(store.read(
                                IdempotencyKey.inScope("s").operation("o").value("k")))
                        .isEmpty());
        calls.put(
                "coalesced reads",
                () -> assertThat(new CoalescingStore<>(store, 0, () -> "one")
                                .read(IdempotencyKey.inScope("s").operation("o").value("k")))
                        .isEmpty());
        calls.put("purges", () -> assertThat(store.purgeExpired(10)).isZero());
        calls.put("checks", () -> assertThat(store.checkTable()).isNotNull());
        return calls;
    }

    private static void steps(JdbiIdempotencyStore store) {
        Pending pending = FaultySessions.pending();
        UUID fresh = UUID.randomUUID();
        try (Session<Handle> session = store.open(TestDatabase.KEY)) {
            assertThat(session.claimAndLock(pending, DAY, SECOND, Durability.ASYNCHRONOUS))
                    .isEmpty();
        }
        try (Session<Handle> session = store.open(TestDatabase.KEY)) {
            boolean replaced =
                    session.autoCommit(transaction -> transaction.replaceToken(pending.key(), pending.token(), fresh));
            boolean released = session.autoCommit(transaction -> transaction.release(pending.key(), fresh));
            assertThat(replaced && released).isTrue();
        }
    }

    private static void executes(Operation<Handle, String> operation, String key) {
        assertThat(operation.execute(attempt(key), handle -> {
                    TestDatabase.write(handle, key);
                    return key;
                }))
                .isInstanceOf(Outcome.Executed.class);
    }

    private static void throwsOn(Operation<Handle, String> operation, String key, RuntimeException thrown) {
        assertThatThrownBy(() -> operation.execute(attempt(key), handle -> {
                    throw thrown;
                }))
                .isSameAs(thrown);
    }

    private static String settings(TestDatabase database) {
        return database.one(
                "SELECT current_setting('synchronous_commit') || ' ' || current_setting('lock_timeout') || ' '"
                        + " || current_setting('transaction_isolation')",
                String.class);
    }

    private static Attempt attempt(String key) {
        return Attempt.inScope("user:1").key(key).request("request");
    }
}
