package io.counterpoint.idempotency.jakarta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.agroal.api.AgroalDataSource;
import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation.Protocol;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.function.CheckedFunction;
import io.counterpoint.idempotency.jakarta.Database.Way;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;

/** What the work, synchronizations and the manager do to a transaction: no effect without its record, and one at most. */
@Tag("thorough")
@Timeout(60)
class TransactionsTest {

    private final AtomicInteger runs = new AtomicInteger();
    private Database database;

    private Database open(Database.Way way) throws Exception {
        database = Database.open(way);
        return database;
    }

    @AfterEach
    void close() throws Exception {
        System.clearProperty("idempotency.create-table");
        assertThat(Database.TRANSACTIONS.getStatus()).isEqualTo(Status.STATUS_NO_TRANSACTION);
        database.close();
    }

    private interface Work {
        void run(Connection connection) throws Exception;
    }

    private Outcome<String> call(DataSource dataSource, Work work) throws Exception {
        return call(Database.store(dataSource), dataSource, Protocol.CLAIM_FIRST, work);
    }

    private Outcome<String> call(JakartaIdempotencyStore store, DataSource dataSource, Protocol protocol, Work work)
            throws Exception {
        CheckedFunction<Connection, String, Exception> counted = connection -> {
            runs.incrementAndGet();
            Database.sql(dataSource, "INSERT INTO effect VALUES ('effect')");
            work.run(connection);
            return "result";
        };
        return Idempotency.on(store)
                .operation("op", ResultCodec.string())
                .protocol(protocol)
                .build()
                .execute(Attempt.inScope("user:1").key("k").request("r"), counted);
    }

    private Outcome<String> call(Work work) throws Exception {
        return call(database.dataSource(), work);
    }

    private static void before(Runnable commit) {
        JakartaDomain.register(commit, () -> {});
    }

    /** Comes after the mark: it is registered by one that came late itself. */
    static void afterTheMark(Runnable code) {
        interposed(() -> interposed(code));
    }

    private static void interposed(Runnable code) {
        Database.REGISTRY.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {
                code.run();
            }

            @Override
            public void afterCompletion(int status) {}
        });
    }

    private void writeAndSwallow(DataSource dataSource) {
        assertThatThrownBy(() -> Database.sql(dataSource, "INSERT INTO nowhere VALUES (1)"));
    }

    @Test
    void listenerThatSwallowsItsErrorBeforeTheMarkIsNeverExecuted() throws Exception {
        DataSource dataSource = open(Way.AGROAL).dataSource();
        Throwable thrown = catchThrowable(() -> call(unused -> before(() -> writeAndSwallow(dataSource))));
        assertThat(thrown).isNotNull();
        assertThat(database.effects()).isEmpty();
    }

    /** A setting lets the driver hide that the database answers this COMMIT with ROLLBACK. */
    @Test
    void listenerThatSwallowsItsErrorAfterTheMarkIsNeverExecutedWithoutItsEffect() throws Exception {
        String url = open(Way.AGROAL).url() + "&raiseExceptionOnSilentRollback=false";
        try (AgroalDataSource silent = (AgroalDataSource) Database.dataSource(Way.AGROAL, url, 4)) {
            Outcome<String> outcome = call(silent, unused -> {
                if (runs.get() == 1) {
                    afterTheMark(() -> writeAndSwallow(silent));
                }
            });
            assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        }
        assertThat(runs).hasValue(2);
        assertThat(database.effects()).containsExactly("effect");
    }

    @Test
    void writeOfALateListenerIsCommittedWithTheEffect() throws Exception {
        open(Way.AGROAL);
        assertThat(call(unused -> afterTheMark(() -> database.sql("INSERT INTO effect VALUES ('late')"))))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(runs).hasValue(1);
        assertThat(database.effects()).containsExactlyInAnyOrder("effect", "late");
    }

    @Test
    void secondResourceIsRefusedAndNothingIsCommitted() throws Exception {
        open(Way.AGROAL_XA);
        try (var other = (AgroalDataSource) Database.dataSource(Way.AGROAL_XA, database.url(), 1)) {
            assertThatThrownBy(() -> call(unused -> Database.sql(other, "INSERT INTO effect VALUES ('other')")))
                    .hasStackTraceContaining("must have one resource");
        }
        assertThat(database.effects()).isEmpty();
    }

    @Test
    void dataSourceThatTakesNoPartIsRefusedAtTheStart() throws Exception {
        open(Way.AGROAL);
        PGSimpleDataSource apart = new PGSimpleDataSource();
        apart.setURL(database.url());
        assertThatThrownBy(() -> Database.store(apart).checkTable()).hasMessageContaining("enlist one resource");
    }

    @ParameterizedTest
    @EnumSource
    void onlyAPoolThatGoesOnAfterTheTimeoutIsRefusedAtTheStart(Way way) throws Exception {
        open(way);
        System.setProperty("idempotency.create-table", "true");
        for (ThrowingCallable check : List.<ThrowingCallable>of(
                database.store()::checkTable, () -> ConfiguredStore.ready(database.store()))) {
            if (way == Way.DBCP_XA) {
                assertThatThrownBy(check).hasMessageContaining("commits separately");
            } else {
                assertThatCode(check).doesNotThrowAnyException();
            }
        }
    }

    private interface Commit {
        void commit() throws Exception;
    }

    /** Agroal fails after this commit, so the manager reports a rollback. */
    private static void commitOnAnotherThread() throws Exception {
        Transaction transaction = Database.TRANSACTIONS.getTransaction();
        Thread other = new Thread(() -> assertThatThrownBy(transaction::commit));
        other.start();
        other.join();
    }

    /** Only the first one takes the transaction from the thread. */
    static Stream<Arguments> commits() {
        return Stream.of(Protocol.values())
                .flatMap(protocol -> Stream.<Commit>of(
                                Database.TRANSACTIONS::commit,
                                () -> Database.TRANSACTIONS.getTransaction().commit(),
                                TransactionsTest::commitOnAnotherThread)
                        .flatMap(commit ->
                                Stream.of(false, true).map(throwing -> Arguments.of(protocol, commit, throwing))));
    }

    /** This cannot be refused either. */
    @ParameterizedTest
    @MethodSource("commits")
    void workThatCommitsByTheManagerIsUnknownAndNotRunAgain(Protocol protocol, Commit commit, boolean throwing)
            throws Exception {
        JakartaIdempotencyStore store = open(Way.AGROAL).store().checkTable();
        Work work = unused -> {
            commit.commit();
            if (throwing) {
                throw new IllegalArgumentException("after the commit");
            }
        };
        assertThatThrownBy(() -> call(store, database.dataSource(), protocol, work))
                .isInstanceOfSatisfying(
                        OutcomeUnknownException.class,
                        unknown -> assertThat(unknown.isRetryable()).isFalse());
        if (protocol != Protocol.RECORD_LAST) {
            assertThat(call(store, database.dataSource(), protocol, work)).isInstanceOf(Outcome.InProgress.class);
        }
        assertThat(runs).hasValue(1);
        assertThat(database.effects()).containsExactly("effect");
    }

    @ParameterizedTest
    @EnumSource(names = {"AGROAL", "AGROAL_XA"})
    void transactionThatTheWorkBeginsAndLeavesOpenIsRolledBack(Way way) throws Exception {
        open(way);
        Work work = unused -> {
            Database.TRANSACTIONS.commit();
            Database.TRANSACTIONS.begin();
            database.sql("INSERT INTO effect VALUES ('left')");
        };
        assertThatThrownBy(() -> call(work)).isInstanceOf(OutcomeUnknownException.class);
        assertThat(Database.TRANSACTIONS.getStatus()).isEqualTo(Status.STATUS_NO_TRANSACTION);
        assertThat(call(work)).isInstanceOf(Outcome.InProgress.class);
        assertThat(runs).hasValue(1);
        assertThat(database.effects()).containsExactly("effect");
    }

    /** Agroal commits what is rolled back while it is suspended. */
    @ParameterizedTest
    @EnumSource(names = {"AGROAL", "AGROAL_XA"})
    void transactionThatTheWorkSuspendsAndLeavesIsRolledBack(Way way) throws Exception {
        open(way);
        Work work = unused -> assertThat(Database.TRANSACTIONS.suspend()).isNotNull();
        assertThatThrownBy(() -> call(work)).isInstanceOf(OutcomeUnknownException.class);
        assertThat(call(work)).isInstanceOf(Outcome.InProgress.class);
        assertThat(runs).hasValue(1);
        assertThat(database.effects()).isEmpty();
    }

    /** Nothing that the work has begun may stay open, or end later. */
    @Test
    void workIsRolledBackEvenIfATransactionThatItHasLeftCannotBe() throws Exception {
        DataSource dataSource = open(Way.AGROAL).dataSource();
        List<Transaction> left = new ArrayList<>();
        TransactionManager failing = Enlisting.proxy(TransactionManager.class, (self, method, arguments) -> {
            if (method.getName().equals("rollback") && left.contains(Database.TRANSACTIONS.getTransaction())) {
                throw new SystemException("out of order");
            }
            return method.invoke(Database.TRANSACTIONS, arguments);
        });
        JakartaIdempotencyStore store = JakartaIdempotencyStore.on(failing, Database.REGISTRY, dataSource);
        assertThatThrownBy(() -> call(store, dataSource, Protocol.CLAIM_FIRST, unused -> {
                    assertThat(Database.TRANSACTIONS.suspend()).isNotNull();
                    Database.TRANSACTIONS.begin();
                    left.add(Database.TRANSACTIONS.getTransaction());
                }))
                .isInstanceOf(OutcomeUnknownException.class);
        assertThat(database.committed("SELECT state FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND state LIKE 'idle in transaction%'"))
                .isEmpty();
        assertThat(database.effects()).isEmpty();
    }

    /** This cannot be refused. */
    @Test
    void whatIsWrittenWhileTheWorkSuspendsItsTransactionStands() throws Exception {
        open(Way.AGROAL);
        assertThatThrownBy(() -> call(unused -> {
                    Transaction suspended = Database.TRANSACTIONS.suspend();
                    database.sql("INSERT INTO effect VALUES ('beside')");
                    Database.TRANSACTIONS.resume(suspended);
                    throw new IllegalArgumentException("refused");
                }))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(database.effects()).containsExactly("beside");
    }

    static void awaitRollback() {
        long begun = System.nanoTime();
        while (isActive()) {
            assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.SECONDS.toNanos(20));
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    private static boolean isActive() {
        try {
            int status = Database.TRANSACTIONS.getStatus();
            return status != Status.STATUS_ROLLEDBACK && status != Status.STATUS_NO_TRANSACTION;
        } catch (Exception thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    @Test
    void handleAndDataSourceShareOneConnection() throws Exception {
        open(Way.AGROAL);
        String transaction = "SELECT pg_current_xact_id()::text";
        call(connection -> {
            try (Statement statement = connection.createStatement();
                    var rows = statement.executeQuery(transaction)) {
                assertThat(rows.next()).isTrue();
                assertThat(database.query(transaction)).isEqualTo(List.of(rows.getString(1)));
            }
        });
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void poolOfOneIsEnoughAlsoAfterACommitThatFailed(Way way) throws Exception {
        DataSource one = Database.dataSource(way, open(Way.AGROAL).url(), 1);
        try (AutoCloseable pool = (AutoCloseable) one) {
            assertThatThrownBy(() -> call(one, unused -> before(() -> writeAndSwallow(one))))
                    .isNotNull();
            Database.sql(one, "DELETE FROM idempotency_record");
            assertThat(call(one, unused -> {})).isInstanceOf(Outcome.Executed.class);
            assertThat(call(one, unused -> {})).isInstanceOf(Outcome.Replayed.class);
        }
    }

    @Test
    void callbackAfterTheCommitMayBeginItsOwnTransaction() throws Exception {
        open(Way.AGROAL);
        AtomicInteger called = new AtomicInteger();
        call(unused -> JakartaDomain.register(() -> {}, () -> {
            assertThatCode(() -> SeparateTransactions.refuseInside("callback", "REQUIRES_NEW"))
                    .doesNotThrowAnyException();
            called.incrementAndGet();
        }));
        assertThat(called).hasValue(1);
    }
}
