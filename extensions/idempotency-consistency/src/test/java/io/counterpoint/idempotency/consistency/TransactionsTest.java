package io.counterpoint.idempotency.consistency;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;
import static io.counterpoint.idempotency.jdbc.Isolation.REPEATABLE_READ;
import static io.counterpoint.idempotency.jdbc.Isolation.SERIALIZABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.mariadb.MariaDbDialect;
import io.counterpoint.idempotency.testing.MariaDbServer;
import io.counterpoint.idempotency.testing.Race;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.HandleCallback;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("thorough")
@ParameterizedClass
@EnumSource
class TransactionsTest {

    @Parameter
    Kind kind;

    private TestDatabase database;
    private Transactions transactions;
    private final AtomicInteger runs = new AtomicInteger();

    @BeforeEach
    void open() {
        database = TestDatabase.create(kind);
        transactions = Transactions.on(database.store());
        database.prepareDeadlock();
        database.execute(
                "CREATE TABLE account (id integer PRIMARY KEY, amount integer NOT NULL)",
                "INSERT INTO account VALUES (1, 10), (2, 10)");
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void workRunsAgainAfterAConflictAndSeesTheOtherCommit() {
        int seen = transactions.inTransaction(SERIALIZABLE, handle -> {
            int amount = amount(handle, 1);
            if (runs.incrementAndGet() == 1) {
                conflict(handle, "UPDATE account SET amount = amount + 100 WHERE id = 1");
            }
            handle.execute("UPDATE account SET amount = ? WHERE id = 1", amount + 1);
            return amount;
        });
        assertThat(seen).isEqualTo(110);
        assertThat(runs).hasValue(2);
        assertThat(database.one("SELECT amount FROM account WHERE id = 1", Integer.class))
                .isEqualTo(111);
    }

    /** The first runs deadlock for certain. A victim that is back before the other has woken may meet it once more. */
    @Test
    void deadlockIsRunAgainUntilBothCommit() {
        CyclicBarrier bothHoldOne = new CyclicBarrier(2);
        List<Race.Result<Boolean>> results = Race.of(2, number -> {
            AtomicInteger own = new AtomicInteger();
            transactions.useTransaction(READ_COMMITTED, handle -> {
                add(handle, 1 + number);
                if (own.incrementAndGet() == 1) {
                    bothHoldOne.await(30, TimeUnit.SECONDS);
                }
                runs.incrementAndGet();
                add(handle, 2 - number);
            });
            return true;
        });
        assertThat(results).allMatch(Race.Result::succeeded);
        assertThat(runs).hasValueGreaterThanOrEqualTo(3);
        assertThat(database.list("SELECT amount FROM account", Integer.class)).containsExactly(12, 12);
    }

    @Test
    void workIsGivenUpAfterTheLastRetryAndNothingIsCommitted() {
        List<Duration> pauses = new ArrayList<>();
        assertThatThrownBy(() -> transactions
                        .withRetries(3)
                        .withClock(remembering(pauses))
                        .useTransaction(SERIALIZABLE, handle -> {
                            runs.incrementAndGet();
                            add(handle, 2);
                            handle.execute("UPDATE account SET amount = ? WHERE id = 1", alwaysInConflict(handle));
                        }))
                .isInstanceOfSatisfying(
                        ConflictException.class,
                        thrown -> assertThat(thrown.runs()).isEqualTo(4))
                .hasCauseInstanceOf(UnableToExecuteStatementException.class);
        assertThat(runs).hasValue(4);
        assertThat(pauses).hasSize(3).allMatch(pause -> pause.compareTo(Duration.ofMillis(500)) <= 0);
        assertThat(database.one("SELECT amount FROM account WHERE id = 2", Integer.class))
                .isEqualTo(10);
    }

    @Test
    void interruptedPauseEndsTheRetriesAndLeavesTheThreadInterrupted() {
        assertThatThrownBy(() -> transactions
                        .withClock(new IdempotencyClock() {
                            @Override
                            public Instant now() {
                                return Instant.EPOCH;
                            }

                            @Override
                            public void sleep(Duration pause) throws InterruptedException {
                                throw new InterruptedException();
                            }
                        })
                        .useTransaction(
                                SERIALIZABLE,
                                handle -> handle.execute(
                                        "UPDATE account SET amount = ? WHERE id = 1", alwaysInConflict(handle))))
                .isInstanceOfSatisfying(
                        ConflictException.class,
                        thrown -> assertThat(thrown.runs()).isEqualTo(1));
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void whatTheDatabaseWouldRefuseAgainIsThrownAtOnce() {
        assertThatThrownBy(() -> transactions.useTransaction(SERIALIZABLE, handle -> {
                    runs.incrementAndGet();
                    add(handle, 2);
                    handle.execute("INSERT INTO account VALUES (1, 0)");
                }))
                .isInstanceOf(UnableToExecuteStatementException.class);
        assertThat(runs).hasValue(1);
        assertThat(database.one("SELECT amount FROM account WHERE id = 2", Integer.class))
                .isEqualTo(10);
    }

    @Test
    void exceptionOfTheWorkIsTheSameObjectAndRollsItBack() {
        IOException own = new IOException("own");
        assertThatThrownBy(() -> transactions.useTransaction(SERIALIZABLE, handle -> {
                    runs.incrementAndGet();
                    add(handle, 1);
                    throw own;
                }))
                .isSameAs(own);
        assertThat(runs).hasValue(1);
        assertThat(database.one("SELECT amount FROM account WHERE id = 1", Integer.class))
                .isEqualTo(10);
    }

    @Test
    void transactionWithinAnotherIsRefused() {
        assertThatThrownBy(() -> transactions.useTransaction(
                        READ_COMMITTED,
                        handle -> transactions.useTransaction(READ_COMMITTED, inner -> runs.incrementAndGet())))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("inside");
        assertThatThrownBy(() -> database.jdbi()
                        .useTransaction(
                                handle -> transactions.useTransaction(READ_COMMITTED, inner -> runs.incrementAndGet())))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("inside");
        assertThat(runs).hasValue(0);
    }

    /** MariaDB and MySQL have rolled the transaction back then, and what follows is in another. */
    @Test
    void workThatKeepsTheExceptionOfADeadlockIsNeverCommittedByHalf() {
        boolean[] met = new boolean[1];
        Throwable thrown = catchThrowable(() -> transactions.useTransaction(READ_COMMITTED, handle -> {
            runs.incrementAndGet();
            add(handle, 1);
            try {
                database.meetDeadlock(handle, "UPDATE contended SET n = n + 1 WHERE id = 2");
            } catch (UnableToExecuteStatementException kept) {
                met[0] = true;
            }
            add(handle, 2);
        }));
        assertThat(runs).hasValue(1);
        assertThat(database.list("SELECT amount FROM account", Integer.class)).containsOnly(thrown == null ? 11 : 10);
        if (kind == Kind.MARIADB) {
            assertThat(met[0]).isTrue();
            assertThat(thrown).isInstanceOf(CommitUnknownException.class).hasMessageContaining("because of a deadlock");
        }
    }

    /** By text of which databases differ, so that it is not refused. PostgreSQL does not show such an end here. */
    @Test
    void workThatRollsBackBySqlTextIsCommittedByHalfOnPostgreSqlAlone() {
        Throwable thrown = catchThrowable(() -> transactions.useTransaction(READ_COMMITTED, handle -> {
            add(handle, 1);
            handle.execute("--\nROLLBACK");
            add(handle, 2);
        }));
        boolean shown = kind != Kind.POSTGRESQL;
        assertThat(thrown instanceof CommitUnknownException).isEqualTo(shown);
        assertThat(database.list("SELECT amount FROM account ORDER BY id", Integer.class))
                .containsExactly(10, shown ? 10 : 11);
    }

    @Test
    void tableOfTheStoreNeedNotExist() {
        database.execute("DROP TABLE idempotency_record");
        transactions.useTransaction(READ_COMMITTED, handle -> add(handle, 1));
        assertThat(database.one("SELECT amount FROM account WHERE id = 1", Integer.class))
                .isEqualTo(11);
    }

    @Test
    void workCannotEndItsTransaction() {
        assertThatThrownBy(() -> transactions.useTransaction(READ_COMMITTED, handle -> {
                    add(handle, 1);
                    handle.getConnection().commit();
                }))
                .hasMessageContaining("transaction");
        assertThat(database.one("SELECT amount FROM account WHERE id = 1", Integer.class))
                .isEqualTo(10);
    }

    @Test
    void isolationIsTheOneAskedFor() {
        for (var level : List.of(READ_COMMITTED, SERIALIZABLE)) {
            boolean sees = transactions.inTransaction(level, handle -> {
                int before = amount(handle, 1);
                Thread unused = database.inAnotherTransaction("UPDATE account SET amount = amount + 1 WHERE id = 1");
                return amount(handle, 1) != before;
            });
            assertThat(sees).as(level.name()).isEqualTo(level == READ_COMMITTED);
        }
    }

    /** Each may spend the other's row as well, as long as both together have enough. */
    @Test
    void serializableTransactionsActAsIfOneAfterTheOther() {
        CyclicBarrier bothHaveRead = new CyclicBarrier(2);
        List<Race.Result<Boolean>> results = Race.of(2, number -> {
            AtomicInteger own = new AtomicInteger();
            return transactions.inTransaction(SERIALIZABLE, handle -> {
                int sum = amount(handle, 1) + amount(handle, 2);
                if (own.incrementAndGet() == 1) {
                    bothHaveRead.await(30, TimeUnit.SECONDS);
                }
                if (sum >= 15) {
                    handle.execute("UPDATE account SET amount = amount - 15 WHERE id = ?", 1 + number);
                }
                return sum >= 15;
            });
        });
        if (kind == Kind.H2) {
            // Its SERIALIZABLE is a snapshot.
            assertThat(results).allMatch(Race.Result::succeeded);
        } else {
            assertThat(results.stream().filter(Race.Result::orFail)).hasSize(1);
        }
    }

    @Test
    void updateAtRepeatableReadIsNeverLost() {
        HandleCallback<Integer, RuntimeException> work = handle -> {
            int amount = amount(handle, 1);
            if (runs.incrementAndGet() == 1) {
                Thread unused = database.inAnotherTransaction("UPDATE account SET amount = amount + 100 WHERE id = 1");
            }
            handle.execute("UPDATE account SET amount = ? WHERE id = 1", amount + 1);
            return amount;
        };
        if (kind == Kind.MARIADB) {
            assertThatThrownBy(() -> transactions.inTransaction(REPEATABLE_READ, work))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("innodb_snapshot_isolation");
            assertThat(runs).hasValue(0);
            if (MariaDbServer.shared().isMySql()) {
                return;
            }
        }
        String strict = kind == Kind.MARIADB ? "&sessionVariables=innodb_snapshot_isolation=1" : "";
        try (TestDatabase same = TestDatabase.at(database.url() + strict)) {
            assertThat(Transactions.on(same.store()).inTransaction(REPEATABLE_READ, work))
                    .isEqualTo(110);
        }
        assertThat(runs).hasValue(2);
    }

    /** Locks hold on one node of Galera only, and what was only read is compared nowhere. */
    @Test
    void serializableIsRefusedWhereLocksHoldOnOneNodeOnly() {
        if (kind == Kind.MARIADB) {
            Transactions onANode = Transactions.on(JdbiIdempotencyStore.builder(database.jdbi())
                    .dialect(MariaDbDialect.galera())
                    .build());
            assertThatThrownBy(() -> onANode.useTransaction(SERIALIZABLE, handle -> runs.incrementAndGet()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("one node only");
            assertThat(runs).hasValue(0);
        }
    }

    /** Another transaction changes the row between the read and the write of every run. */
    private int alwaysInConflict(Handle handle) {
        int amount = amount(handle, 1);
        conflict(handle, "UPDATE account SET amount = amount + 100 WHERE id = 1");
        return amount + 1;
    }

    /**
     * Changes in another transaction what this one has read. Where that has locked it, the other waits, so they meet in a
     * deadlock. The other has written more, so InnoDB ends this one.
     */
    private void conflict(Handle handle, String update) {
        String contended = "UPDATE contended SET n = n + 1 WHERE id = 2";
        Thread other =
                database.inAnotherTransaction("INSERT INTO weight " + database.numbers(1, 50), contended, update);
        if (other.isAlive()) {
            handle.execute(contended);
        }
    }

    private static IdempotencyClock remembering(List<Duration> pauses) {
        return new IdempotencyClock() {
            @Override
            public Instant now() {
                return Instant.EPOCH;
            }

            @Override
            public void sleep(Duration pause) {
                pauses.add(pause);
            }
        };
    }

    private static void add(Handle handle, int id) {
        handle.execute("UPDATE account SET amount = amount + 1 WHERE id = ?", id);
    }

    private static int amount(Handle handle, int id) {
        return handle.createQuery("SELECT amount FROM account WHERE id = " + id)
                .mapTo(Integer.class)
                .one();
    }
}
