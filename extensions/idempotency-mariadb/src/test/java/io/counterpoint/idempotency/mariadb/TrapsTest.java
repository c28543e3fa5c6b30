package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.jdbc.spi.ClaimOptions;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.TransactionName;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.testing.MariaDbServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What MariaDB and MySQL do unlike other databases. */
@Tag("thorough")
@Timeout(60)
class TrapsTest {

    private static TestPool database;
    private static JdbiIdempotencyStore store;
    private static Jdbi jdbi;

    @BeforeAll
    static void open() {
        database = TestPool.with("");
        jdbi = Jdbi.create(database.pool());
        store = JdbiIdempotencyStore.builder(database.pool())
                .dialect(TestPool.dialect())
                .table(database.table())
                .build()
                .createTableIfMissing();
        jdbi.useHandle(handle -> handle.execute("CREATE TABLE effect (id varchar(100) NOT NULL)"));
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @BeforeEach
    void empty() {
        jdbi.useHandle(handle -> {
            handle.execute("DELETE FROM idempotency_record");
            handle.execute("DELETE FROM effect");
        });
    }

    private static Operation.Builder<Handle, String> operation(String protocol) {
        Operation.Builder<Handle, String> builder = Idempotency.on(store).operation("operation", ResultCodec.string());
        return switch (protocol) {
            case "single", "single-planned" -> builder.protocol(Operation.Protocol.SINGLE_TRANSACTION);
            case "record-last" -> builder.protocol(Operation.Protocol.RECORD_LAST);
            default -> builder;
        };
    }

    private static Outcome<String> call(String protocol, Consumer<Handle> work) {
        Attempt attempt = Attempt.inScope("user:1").key("key").request("request");
        if (protocol.equals("record-last-batch")) {
            Attempt second = Attempt.inScope("user:1").key("second").request("request");
            return Batch.inOneTransaction(operation("record-last").build())
                    .executeAll(List.of(attempt, second), (handle, leading) -> {
                        work.accept(handle);
                        return Collections.nCopies(leading.size(), "result");
                    })
                    .get(0)
                    .orElseThrow();
        }
        return protocol.endsWith("planned")
                ? operation(protocol)
                        .planned()
                        .build()
                        .execute(attempt, () -> "result", (handle, plan) -> work.accept(handle))
                : operation(protocol).build().execute(attempt, handle -> {
                    work.accept(handle);
                    return "result";
                });
    }

    private static void write(Handle handle) {
        handle.execute("INSERT INTO effect VALUES ('effect')");
    }

    private static int effects() {
        return count("SELECT count(*) FROM effect");
    }

    private static int count(String sql) {
        return jdbi.withHandle(
                handle -> handle.createQuery(sql).mapTo(Integer.class).one());
    }

    /** What ends the transaction behind the driver's back: text, a definition of a table. */
    @ParameterizedTest
    @CsvSource({
        "claim-first, ROLLBACK",
        "claim-first, COMMIT",
        "claim-first, CREATE TABLE IF NOT EXISTS ended (id int)",
        "claim-first-planned, ROLLBACK",
        "claim-first-planned, COMMIT",
        "single, ROLLBACK",
        "single, COMMIT",
        "single-planned, ROLLBACK",
        "single-planned, COMMIT",
        "single-planned, ROLLBACK AND CHAIN",
        "record-last, ROLLBACK",
        "record-last, COMMIT",
        "record-last-batch, ROLLBACK",
        "record-last-batch, COMMIT",
    })
    void workThatEndsItsTransactionIsNeverToldAsDone(String protocol, String sql) {
        assertThatThrownBy(() -> call(protocol, handle -> {
                    write(handle);
                    handle.execute("--\n" + sql);
                    handle.execute("INSERT INTO effect VALUES ('after')");
                }))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasMessageContaining("ended the transaction");
        assertThat(count("SELECT count(*) FROM effect WHERE id = 'after'")).isZero();
    }

    /** A savepoint of the work's own, and a rollback to it, end nothing. */
    @ParameterizedTest
    @ValueSource(strings = {"claim-first", "claim-first-planned", "single", "single-planned", "record-last"})
    void savepointsOfTheWorkAreItsOwn(String protocol) {
        assertThat(call(protocol, handle -> {
                    write(handle);
                    handle.savepoint("own");
                    write(handle);
                    handle.rollbackToSavepoint("own");
                }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(effects()).isEqualTo(1);
    }

    /** A column of type uuid refuses some of them. */
    @Test
    void everyTokenIsStored() throws SQLException {
        try (Connection connection = database.pool().getConnection()) {
            for (int i = 0; i < 64; i++) {
                UUID token = new UUID((long) i << 12 | (long) i << 58, (long) i << 58);
                Pending record = pending("key-" + i, token);
                ClaimOptions options = new ClaimOptions(Duration.ofDays(1), Duration.ofSeconds(1), true, false);
                assertThat(TestPool.dialect()
                                .insert(connection, record, options)
                                .inserted())
                        .isTrue();
                assertThat(TestPool.dialect()
                                .read(connection, record.key())
                                .orElseThrow()
                                .token())
                        .isEqualTo(token);
            }
        }
    }

    /** Its snapshot is older than the record that it has waited for. */
    @Test
    void claimThatWaitedInARepeatableReadFindsTheRecord() throws Exception {
        Dialect dialect = TestPool.dialect();
        ClaimOptions options = new ClaimOptions(Duration.ofDays(1), Duration.ofSeconds(30), false, false);
        Pending record = pending("key", UUID.randomUUID());
        try (Connection rival = database.pool().getConnection();
                Connection waiter = database.pool().getConnection()) {
            rival.setAutoCommit(false);
            waiter.setAutoCommit(false);
            dialect.isolate(waiter, Connection.TRANSACTION_REPEATABLE_READ);
            assertThat(LockBound.single(waiter, "SELECT COUNT(*) FROM effect")).isEqualTo("0");
            assertThat(dialect.insert(rival, record, options).inserted()).isTrue();
            Future<Boolean> claim =
                    inAnotherThread(() -> dialect.insert(waiter, pending("key", UUID.randomUUID()), options)
                            .inserted());
            awaitWaiters(1);
            rival.commit();
            assertThat(claim.get(60, TimeUnit.SECONDS)).isFalse();
            assertThat(dialect.read(waiter, record.key()).orElseThrow().token()).isEqualTo(record.token());
            waiter.rollback();
            waiter.setAutoCommit(true);
            rival.setAutoCommit(true);
        }
    }

    /** A second name would be that of the transaction that has silently followed. */
    @Test
    void transactionGetsItsNameFromItsFirstStepOnly() throws SQLException {
        Dialect dialect = TestPool.dialect();
        ClaimOptions options = new ClaimOptions(Duration.ofDays(1), Duration.ofSeconds(1), false, false);
        try (Connection connection = database.pool().getConnection()) {
            connection.setAutoCommit(false);
            for (boolean locks : new boolean[] {false, true}) {
                Pending record = pending("first", UUID.randomUUID());
                Optional<TransactionName> name =
                        dialect.insert(connection, record, options).transaction();
                LockBound.execute(connection, locks ? "COMMIT" : "ROLLBACK");
                if (locks) {
                    assertThat(dialect.lock(connection, record.key(), Duration.ZERO, name))
                            .isPresent();
                } else {
                    assertThat(dialect.insert(connection, pending("later", UUID.randomUUID()), options.in(name))
                                    .inserted())
                            .isTrue();
                }
                assertThat(dialect.isTransaction(connection, name.orElseThrow()))
                        .isFalse();
                connection.rollback();
            }
            connection.setAutoCommit(true);
        }
    }

    private static Pending pending(String value, UUID token) {
        IdempotencyKey key =
                IdempotencyKey.inScope("user:1").operation("operation").value(value);
        return new Pending(
                key, Protocol.CLAIM_FIRST, token, Fingerprint.ofParts("request"), Optional.empty(), Duration.ZERO);
    }

    /** The server ends two of three in a deadlock. Each is answered all the same. */
    @Test
    void waitersBehindARollbackAreAllAnswered() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch ends = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        Future<Throwable> leader = inAnotherThread(() -> catchThrowable(
                () -> other().execute(Attempt.inScope("user:1").key("key").request("request"), handle -> {
                    begun.countDown();
                    ends.await();
                    throw new IllegalStateException("rolls back");
                })));
        begun.await();
        List<Future<Outcome<String>>> waiters = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            // Of another store each, so that they wait in the database.
            Operation<Handle, String> waiter = other();
            waiters.add(inAnotherThread(
                    () -> waiter.execute(Attempt.inScope("user:1").key("key").request("request"), handle -> {
                        runs.incrementAndGet();
                        write(handle);
                        return "result";
                    })));
        }
        try {
            awaitWaiters(3);
        } finally {
            ends.countDown();
        }
        // A waiter may have its result before the leader has released the key: then that is the leader's answer too.
        Throwable thrown = leader.get(60, TimeUnit.SECONDS);
        if (thrown != null) {
            assertThat(thrown).hasMessage("rolls back");
        }
        for (Future<Outcome<String>> waiter : waiters) {
            assertThat(waiter.get(60, TimeUnit.SECONDS).asOptional()).contains("result");
        }
        assertThat(effects()).isEqualTo(1);
    }

    private static <T> Future<T> inAnotherThread(Callable<T> action) {
        FutureTask<T> task = new FutureTask<>(action);
        Thread thread = new Thread(task, "another caller");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    private static Operation<Handle, String> other() {
        return Idempotency.on(JdbiIdempotencyStore.builder(database.pool())
                        .dialect(TestPool.dialect())
                        .build())
                .operation("operation", ResultCodec.string())
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .releaseOn(thrown -> thrown instanceof IllegalStateException)
                .waitAtMost(Duration.ofSeconds(30))
                .build();
    }

    private static void awaitWaiters(int count) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (waits() < count) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("Fewer than " + count + " transactions wait for a lock");
            }
            // The server renews the list of transactions where nobody has read it for a tenth of a second.
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(150));
        }
    }

    private static int waits() {
        return jdbi.withHandle(handle -> handle.createQuery(
                        "SELECT count(*) FROM " + MariaDbServer.shared().waiters())
                .mapTo(Integer.class)
                .one());
    }

    @Test
    void lockTimeoutOfTheDomainIsNotAConflict() throws SQLException {
        jdbi.useHandle(TrapsTest::write);
        try (Connection holder = database.pool().getConnection();
                Connection waiter = database.pool().getConnection()) {
            holder.setAutoCommit(false);
            LockBound.execute(holder, "UPDATE effect SET id = 'held'");
            LockBound.execute(waiter, "SET SESSION innodb_lock_wait_timeout = 1");
            assertThat(faultOf(() -> LockBound.execute(waiter, "UPDATE effect SET id = 'other'")))
                    .isEqualTo(Fault.LOCK_TIMEOUT);
            holder.rollback();
            LockBound.execute(waiter, "SET SESSION innodb_lock_wait_timeout = DEFAULT");
            holder.setAutoCommit(true);
        }
    }

    @ParameterizedTest
    @CsvSource({"KILL, CONNECTION_LOST", "KILL QUERY, CANCELLED"})
    void killedSessionIsLostAndAKilledStatementIsNot(String kill, Fault expected) throws Exception {
        jdbi.useHandle(TrapsTest::write);
        try (Connection holder = database.pool().getConnection();
                Connection victim = database.pool().getConnection()) {
            holder.setAutoCommit(false);
            LockBound.execute(holder, "UPDATE effect SET id = 'held'");
            String id = LockBound.single(victim, "SELECT CONNECTION_ID()");
            Future<Fault> fault =
                    inAnotherThread(() -> faultOf(() -> LockBound.execute(victim, "UPDATE effect SET id = 'other'")));
            awaitWaiters(1);
            jdbi.useHandle(handle -> handle.execute(kill + " " + id));
            assertThat(fault.get(60, TimeUnit.SECONDS)).isEqualTo(expected);
            holder.rollback();
            holder.setAutoCommit(true);
        }
    }

    private interface Statements {
        void run() throws SQLException;
    }

    private static Fault faultOf(Statements statements) {
        Throwable thrown = catchThrowable(statements::run);
        assertThat(thrown).isInstanceOf(SQLException.class);
        return TestPool.dialect().classify((SQLException) thrown);
    }

    /** In strict mode; otherwise the value would be cut. */
    @Test
    void valueThatIsTooLongIsRefused() {
        assertThat(faultOf(() -> {
                    try (Connection connection = database.pool().getConnection()) {
                        LockBound.execute(connection, "INSERT INTO effect VALUES (REPEAT('a', 101))");
                    }
                }))
                .isEqualTo(Fault.STATEMENT_REFUSED);
    }

    @Test
    void errorThatARoutineRaisesIsARefusal() {
        assertThat(faultOf(() -> {
                    try (Connection connection = database.pool().getConnection()) {
                        LockBound.execute(connection, "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no funds'");
                    }
                }))
                .isEqualTo(Fault.STATEMENT_REFUSED);
    }

    /** MySQL does not tell. */
    @Test
    void transactionThatHasBegunIsSeenOnMariaDb() throws SQLException {
        try (Connection connection = database.pool().getConnection()) {
            connection.setAutoCommit(false);
            assertThat(TestPool.dialect().hasBegun(connection)).isFalse();
            LockBound.execute(connection, "INSERT INTO effect VALUES ('uncommitted')");
            assertThat(TestPool.dialect().hasBegun(connection))
                    .isEqualTo(!MariaDbServer.shared().isMySql());
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }
}
