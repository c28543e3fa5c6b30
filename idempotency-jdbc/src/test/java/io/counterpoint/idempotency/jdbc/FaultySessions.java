package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.session.JdbcSession;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** Sessions on real databases, whose driver fails where a test says so. */
@Timeout(60)
abstract class FaultySessions extends BothDatabases {

    static final Duration DAY = Duration.ofDays(1);
    static final Duration WAIT = Duration.ofSeconds(1);
    static final Optional<Payload> RESULT = Optional.of(Payload.of("result".getBytes(StandardCharsets.UTF_8)));

    private final List<FaultyDriver> drivers = new ArrayList<>();
    private FaultyDriver driver;
    private JdbiIdempotencyStore store;

    FaultyDriver on(Kind kind) {
        return on(kind, true);
    }

    FaultyDriver on(Kind kind, boolean autoCommit) {
        driver = new FaultyDriver(database(kind), autoCommit);
        drivers.add(driver);
        store = database(kind).store(driver.dataSource());
        return driver;
    }

    @AfterEach
    void leaveNothing() throws SQLException {
        for (FaultyDriver each : drivers) {
            each.close();
        }
        DATABASES
                .values()
                .forEach(database -> database.jdbi().useHandle(handle -> {
                    handle.execute("DELETE FROM idempotency_record");
                    handle.execute("DELETE FROM effect");
                }));
    }

    JdbiIdempotencyStore store() {
        return store;
    }

    JdbcSession<Handle> session() {
        return (JdbcSession<Handle>) store.open(TestDatabase.KEY);
    }

    static Pending pending() {
        return new Pending(
                IdempotencyKey.inScope("user:1")
                        .operation("operation")
                        .value(UUID.randomUUID().toString()),
                Protocol.CLAIM_FIRST,
                UUID.randomUUID(),
                Fingerprint.ofParts("request"),
                Optional.empty(),
                Duration.ZERO);
    }

    static Succeeded succeeded(Pending record) {
        return new Succeeded(record.key(), record.protocol(), record.token(), record.fingerprint(), RESULT);
    }

    /** A record that another session has claimed. */
    static Pending claimed(Kind kind) {
        Pending record = pending();
        Optional<IdempotencyRecord> found =
                alone(database(kind).store(), steps -> steps.claim(record, DAY, WAIT, Durability.DURABLE));
        assertThat(found).isEmpty();
        return record;
    }

    static <T> T alone(JdbiIdempotencyStore store, Function<RecordSteps, T> step) {
        try (Session<Handle> session = store.open(TestDatabase.KEY)) {
            return session.autoCommit(step);
        }
    }

    static Optional<IdempotencyRecord> claim(Session<Handle> session, Pending record) {
        return session.claimAndLock(record, DAY, WAIT, Durability.DURABLE);
    }

    /** Ends a transaction by its last step and the commit. */
    static void commitWith(RecordSteps steps, LastStep step, RuntimeException otherwise) {
        if (steps.commitWith(step) != LastStep.Result.DONE) {
            throw otherwise;
        }
    }

    static Throwable thrownBy(ThrowingCallable call) {
        Throwable thrown = catchThrowable(call);
        assertThat(thrown).isNotNull();
        return thrown;
    }

    Fault fault(Throwable thrown) {
        return store.classify(thrown);
    }

    static SQLException refusal() {
        return new SQLException("injected", "42P01");
    }

    /** On PostgreSQL the driver knows. */
    boolean isInTransaction() throws SQLException {
        return driver.physical().unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE;
    }

    boolean isEnded() throws SQLException {
        return driver.physical().isClosed();
    }
}
