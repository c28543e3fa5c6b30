package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.testing.Cut;
import io.counterpoint.idempotency.testing.CuttingProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A combined claim and lock: which part has succeeded when a statement fails. */
@Timeout(60)
class PostgreSqlClaimTest {

    private static final Duration WAIT = Duration.ofSeconds(1);
    private static final Duration DAY = Duration.ofDays(1);

    /** Often enough for the driver to give names to statements. */
    private static final int CALLS = 12;

    private TestDatabase database;

    @BeforeEach
    void open() {
        database = TestDatabase.postgresql();
    }

    @AfterEach
    void close() {
        database.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("direct")
    void committedClaimWithARefusedLockLeadsAndReportsTheReason(boolean durable) {
        try (TestDatabase poor = poor("SELECT, INSERT");
                Session<Handle> session = poor.store().open(TestDatabase.KEY)) {
            Pending record = FaultySessions.pending();
            assertThat(session.claimAndLock(record, DAY, WAIT, durable ? Durability.DURABLE : Durability.ASYNCHRONOUS))
                    .isEmpty();
            assertThat(database.store().read(record.key()).map(IdempotencyRecord::token))
                    .contains(record.token());
            assertThatThrownBy(
                            () -> session.inTransaction((transaction, scope) -> transaction.lock(record.key(), WAIT)))
                    .satisfies(
                            thrown -> assertThat(poor.store().classify(thrown)).isEqualTo(Fault.STATEMENT_REFUSED));
        }
    }

    @Test
    @Tag("direct")
    void claimThatIsRefusedIsProvenNotToHaveArrived() {
        try (TestDatabase poor = poor("SELECT");
                Session<Handle> session = poor.store().open(TestDatabase.KEY)) {
            Pending record = FaultySessions.pending();
            assertThatThrownBy(() -> session.claimAndLock(record, DAY, WAIT, Durability.DURABLE))
                    .satisfies(
                            thrown -> assertThat(poor.store().classify(thrown)).isEqualTo(Fault.STATEMENT_REFUSED));
            assertThat(database.store().read(record.key())).isEmpty();
            Optional<IdempotencyRecord> found = session.autoCommit(transaction -> transaction.read(record.key()));
            assertThat(found).isEmpty();
        }
    }

    @Test
    @Tag("direct")
    void claimWhoseRecordCannotBeReadForALostConnectionIsInDoubt() {
        try (CuttingProxy proxy = CuttingProxy.inFrontOf(database.url());
                TestDatabase poor = poor("SELECT, INSERT", proxy.jdbcUrl());
                Session<Handle> session = poor.store().open(TestDatabase.KEY)) {
            proxy.onNextStatement(sql -> sql.startsWith("SELECT protocol"), Cut.AFTER_ANSWER);
            assertThatThrownBy(() -> session.claimAndLock(FaultySessions.pending(), DAY, WAIT, Durability.DURABLE))
                    .satisfies(
                            thrown -> assertThat(poor.store().classify(thrown).provesRollback())
                                    .isFalse());
            assertThat(proxy.hasCut()).isTrue();
        }
    }

    @Test
    void claimWithoutFurtherStepsIsUnlockedInAnOpenConnection() throws SQLException {
        try (Connection connection = database.pool().getConnection()) {
            connection.setAutoCommit(false);
            Pending record = FaultySessions.pending();
            try (Session<Handle> session =
                    database.dialect(Jdbi.create(connection)).open(TestDatabase.KEY)) {
                assertThat(session.claimAndLock(record, DAY, WAIT, Durability.DURABLE))
                        .isEmpty();
            }
            try (Session<Handle> other = database.store().open(TestDatabase.KEY)) {
                Optional<IdempotencyRecord> locked =
                        other.inTransaction((transaction, scope) -> transaction.lock(record.key(), Duration.ZERO));
                assertThat(locked).isPresent();
            }
        }
    }

    @Test
    void missingTableIsReportedAtOnceAndNothingIsStarted() {
        JdbiIdempotencyStore withoutTable =
                database.store().toBuilder().table("no_such_table").build();
        Attempt attempt = Attempt.inScope("user:1").key("key").request("request");
        assertThatThrownBy(() -> operation(withoutTable).execute(attempt, handle -> "result"))
                .isInstanceOf(NotStartedException.class)
                .hasStackTraceContaining("no_such_table");
    }

    @Test
    void isolationOfTheWorkIsSetThoughTheClaimHasNone() {
        Operation<Handle, String> operation = operation(
                database.store().toBuilder().isolation(Isolation.SERIALIZABLE).build());
        for (int i = 0; i < CALLS; i++) {
            Attempt attempt = Attempt.inScope("user:1").key("key-" + i).request("request");
            assertThat(operation
                            .execute(
                                    attempt,
                                    handle -> handle.createQuery("SHOW transaction_isolation")
                                            .mapTo(String.class)
                                            .one())
                            .orElseThrow())
                    .isEqualTo("serializable");
        }
    }

    private static Operation<Handle, String> operation(JdbiIdempotencyStore store) {
        return Idempotency.on(store)
                .operation("operation", ResultCodec.string())
                .build();
    }

    private TestDatabase poor(String rights) {
        return poor(rights, database.url());
    }

    /** The same database for a user with those rights only. A gateway would hand on a connection of another role. */
    private TestDatabase poor(String rights, String url) {
        String role = "poor_" + UUID.randomUUID().toString().replace('-', '_');
        database.jdbi().useHandle(handle -> {
            handle.execute("CREATE ROLE " + role);
            handle.execute("GRANT USAGE ON SCHEMA public TO " + role);
            handle.execute("GRANT " + rights + " ON idempotency_record TO " + role);
        });
        return database.with(url, config -> config.setConnectionInitSql("SET ROLE " + role));
    }
}
