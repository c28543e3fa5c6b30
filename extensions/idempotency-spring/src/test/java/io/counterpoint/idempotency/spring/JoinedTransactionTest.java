package io.counterpoint.idempotency.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.testing.Race;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.NestedTransactionNotSupportedException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What holds where entities and services join, on PostgreSQL. */
class JoinedTransactionTest {

    private static Application application;

    private String id;
    private Accounts accounts;
    private AccountsApplication.Listener listener;
    private SpringIdempotencyStore store;

    @BeforeAll
    static void start() {
        application = Application.start(Database.Kind.POSTGRESQL, Application.Way.JPA, AccountsApplication.class);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @BeforeEach
    void prepare() {
        id = UUID.randomUUID().toString();
        accounts = application.bean(Accounts.class);
        listener = application.bean(AccountsApplication.Listener.class);
        listener.reactWith(account -> {});
        store = application.store();
    }

    @AfterEach
    void nothingIsBoundToTheThread() {
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
        assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
        assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                .isFalse();
        assertThat(TransactionSynchronizationManager.getCurrentTransactionName())
                .isNull();
        assertThat(application.database.pool().getHikariPoolMXBean().getActiveConnections())
                .isZero();
    }

    /** The protocols in which work runs in the store's transaction. */
    enum Protocol {
        CLAIM_FIRST,
        SINGLE_TRANSACTION
    }

    private Operation<Connection, String> operation(Protocol protocol, SpringIdempotencyStore on) {
        Operation.Builder<Connection, String> builder = Idempotency.on(on).operation("deposit", ResultCodec.string());
        return (protocol == Protocol.SINGLE_TRANSACTION ? builder.singleTransaction() : builder).build();
    }

    private Operation<Connection, String> operation(Protocol protocol) {
        return operation(protocol, store);
    }

    private interface Work {
        String run(Connection connection);
    }

    private void executes(Protocol protocol, Work work) {
        assertThat(operation(protocol).execute(attempt(), work::run)).isInstanceOf(Outcome.Executed.class);
    }

    private Attempt attempt() {
        return attempt("key-" + id);
    }

    private static Attempt attempt(String key) {
        return Attempt.in("user:1").key(key).request("request");
    }

    private void opened() {
        accounts.open(id);
    }

    private long balance() {
        return application.database.jdbc().queryForObject("SELECT balance FROM account WHERE id = ?", Long.class, id);
    }

    private boolean exists() {
        return application
                        .database
                        .jdbc()
                        .queryForObject("SELECT count(*) FROM account WHERE id = ?", Integer.class, id)
                > 0;
    }

    // ---- flushes -------------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void resultHasTheVersionThatTheFlushComputed(Protocol protocol) {
        opened();
        ResultCodec<Account> version = ResultCodec.text(account -> "v" + account.version(), text -> new Account(text));
        Operation.Builder<Connection, Account> builder = Idempotency.on(store).operation("version", version);
        Operation<Connection, Account> deposit =
                (protocol == Protocol.SINGLE_TRANSACTION ? builder.singleTransaction() : builder).build();
        assertThat(deposit.execute(attempt(), connection -> accounts.deposit(id, 5)))
                .isInstanceOf(Outcome.Executed.class);
        String stored = application
                .database
                .jdbc()
                .queryForObject(
                        "SELECT convert_from(payload, 'UTF8') FROM idempotency_record WHERE key_value = ?",
                        String.class,
                        "key-" + id);
        assertThat(stored).isEqualTo("v1");
    }

    @ParameterizedTest
    @EnumSource
    void uniqueViolationThatTheFlushFindsIsTheWorksOwnException(Protocol protocol) {
        opened();
        Throwable thrown = catchThrowable(() -> operation(protocol).execute(attempt(), connection -> {
            application.entities().persist(new Account(id));
            return "opened";
        }));
        assertThat(thrown).isInstanceOf(DataIntegrityViolationException.class);
        Outcome<String> replay = operation(protocol).execute(attempt(), connection -> "again");
        assertThat(replay)
                .isInstanceOfSatisfying(
                        Outcome.Rejected.class,
                        rejected -> assertThat(rejected.failure().code()).isEqualTo(Failure.CONSTRAINT));
    }

    @ParameterizedTest
    @EnumSource
    void callbackBeforeTheCommitThatThrowsLeavesNothing(Protocol protocol) {
        opened();
        IllegalStateException refused = new IllegalStateException("refused");
        assertThatThrownBy(() -> operation(protocol).execute(attempt(), connection -> {
                    accounts.deposit(id, 5);
                    TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                        @Override
                        public void beforeCommit(boolean readOnly) {
                            throw refused;
                        }
                    });
                    return "deposited";
                }))
                .isSameAs(refused);
        assertThat(balance()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void entityThatACallbackBeforeTheCommitWritesIsCommitted(Protocol protocol) {
        executes(protocol, connection -> {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void beforeCommit(boolean readOnly) {
                    accounts.open(id);
                }
            });
            return "opened";
        });
        assertThat(exists()).isTrue();
    }

    // ---- participants --------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void jdbcAndEntitiesSeeEachOther(Protocol protocol) {
        JdbcTemplate jdbc = application.database.jdbc();
        executes(protocol, connection -> {
            accounts.open(id);
            application.entities().flush();
            jdbc.update("UPDATE account SET balance = 7 WHERE id = ?", id);
            return "opened";
        });
        assertThat(balance()).isEqualTo(7);
    }

    @ParameterizedTest
    @EnumSource
    void exceptionAfterTheServiceLeavesNothing(Protocol protocol) {
        opened();
        IllegalArgumentException refused = new IllegalArgumentException("refused");
        assertThatThrownBy(() -> operation(protocol).execute(attempt(), connection -> {
                    accounts.deposit(id, 5);
                    throw refused;
                }))
                .isSameAs(refused);
        assertThat(balance()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void rollbackOfAParticipantThatTheWorkSwallowsIsToldAndLeavesNothing(Protocol protocol) {
        opened();
        assertThatThrownBy(() -> operation(protocol).execute(attempt(), connection -> {
                    assertThat(catchThrowable(() -> accounts.depositAndThrow(id)))
                            .isNotNull();
                    return "deposited";
                }))
                .isInstanceOf(UnexpectedRollbackException.class)
                .hasMessageContaining("rollback-only");
        assertThat(balance()).isZero();
        assertThat(operation(protocol).execute(attempt(), connection -> "again"))
                .isInstanceOf(Outcome.Rejected.class);
    }

    @ParameterizedTest
    @EnumSource
    void transactionTemplateThatIsSetToRollBackLeavesNothing(Protocol protocol) {
        TransactionTemplate template = new TransactionTemplate(application.bean(PlatformTransactionManager.class));
        assertThatThrownBy(() -> operation(protocol).execute(attempt(), connection -> {
                    template.executeWithoutResult(status -> {
                        accounts.open(id);
                        status.setRollbackOnly();
                    });
                    return "opened";
                }))
                .isInstanceOf(UnexpectedRollbackException.class);
        assertThat(exists()).isFalse();
    }

    // ---- what commits on its own ---------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void newTransactionInsideTheWorkIsRefusedBeforeItBegins(Protocol protocol) {
        opened();
        assertThatThrownBy(() -> operation(protocol).execute(attempt(), connection -> {
                    accounts.depositInANewTransaction(id);
                    return "deposited";
                }))
                .isInstanceOf(SeparateTransactionException.class)
                .hasMessageContaining("REQUIRES_NEW");
        assertThat(balance()).isZero();
    }

    @Test
    void codeWithoutATransactionInsideTheWorkIsRefused() {
        assertThatThrownBy(() -> operation(Protocol.CLAIM_FIRST).execute(attempt(), connection -> {
                    accounts.readWithoutATransaction(id);
                    return "read";
                }))
                .isInstanceOf(SeparateTransactionException.class);
    }

    @Test
    void transactionOfAnotherDataSourceInsideTheWorkIsRefused() {
        try (Database other = Database.open(Database.Kind.H2)) {
            TransactionTemplate template = new TransactionTemplate(new JdbcTransactionManager(other.pool()));
            assertThatThrownBy(() -> operation(Protocol.CLAIM_FIRST).execute(attempt(), connection -> {
                        template.executeWithoutResult(
                                status -> new JdbcEffects(JdbcClient.create(other.pool())).write(id));
                        return "written";
                    }))
                    .isInstanceOf(SeparateTransactionException.class);
            assertThat(other.effects()).isEmpty();
        }
    }

    @Test
    void refusedNewTransactionThatTheWorkSwallowsLeavesTheOperationWhole() {
        opened();
        assertThat(operation(Protocol.CLAIM_FIRST).execute(attempt(), connection -> {
                    assertThat(catchThrowable(() -> accounts.depositInANewTransaction(id)))
                            .isNotNull();
                    accounts.deposit(id, 5);
                    return "deposited";
                }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(balance()).isEqualTo(5);
    }

    @ParameterizedTest
    @EnumSource
    void separateTransactionOfAnAllowedNameStandsWhenTheOperationFails(Protocol protocol) {
        opened();
        SpringIdempotencyStore allowing = store.allowingSeparateTransactions("audit");
        assertThatThrownBy(() -> operation(protocol, allowing).execute(attempt(), connection -> {
                    SeparateTransaction.run("audit", () -> accounts.depositInANewTransaction(id));
                    application.entities().persist(new Effect(id));
                    throw new IllegalArgumentException("refused");
                }))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(balance()).isEqualTo(1);
        assertThat(application.database.effects()).doesNotContain(id);
    }

    @Test
    void separateTransactionOfAnotherNameIsRefusedBeforeItsCodeRuns() {
        AtomicInteger runs = new AtomicInteger();
        assertThatThrownBy(() -> operation(Protocol.CLAIM_FIRST, store.allowingSeparateTransactions("audit"))
                        .execute(attempt(), connection -> {
                            SeparateTransaction.run("payment", runs::incrementAndGet);
                            return "paid";
                        }))
                .isInstanceOf(SeparateTransactionException.class)
                .hasMessageContaining("[audit]")
                .hasMessageContaining("payment");
        assertThat(runs).hasValue(0);
    }

    @Test
    void separateTransactionOutsideOfAnOperationOnlyRunsItsCode() {
        assertThat(SeparateTransaction.<String>call("audit", () -> "done")).isEqualTo("done");
    }

    @Test
    void nestedTransactionWithEntitiesIsRefusedBySpring() {
        opened();
        assertThatThrownBy(() -> operation(Protocol.CLAIM_FIRST).execute(attempt(), connection -> {
                    accounts.depositNested(id);
                    return "deposited";
                }))
                .isInstanceOf(NestedTransactionNotSupportedException.class);
        assertThat(balance()).isZero();
    }

    // ---- the caller's own ----------------------------------------------------------------------------------------

    @Test
    void callInsideATransactionOfSpringsIsRefusedWithWhatToDo() {
        TransactionTemplate template = new TransactionTemplate(application.bean(PlatformTransactionManager.class));
        template.setName("Controller.pay");
        template.executeWithoutResult(status -> {
            assertThatThrownBy(() -> operation(Protocol.CLAIM_FIRST).execute(attempt(), connection -> "done"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Controller.pay")
                    .hasMessageContaining("outside");
            assertThatThrownBy(() -> store.purgeExpired(1)).isInstanceOf(IllegalStateException.class);
        });
        assertThat(operation(Protocol.CLAIM_FIRST).execute(attempt(), connection -> "done"))
                .isInstanceOf(Outcome.Executed.class);
    }

    @Test
    void callbacksOfAScopeWithoutATransactionComeBack() {
        TransactionTemplate supports = new TransactionTemplate(application.bean(PlatformTransactionManager.class));
        supports.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
        List<String> called = new ArrayList<>();
        supports.executeWithoutResult(status -> {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int end) {
                    called.add("outer");
                }
            });
            opened();
            executes(Protocol.CLAIM_FIRST, connection -> {
                accounts.deposit(id, 5);
                return "deposited";
            });
            assertThat(called).isEmpty();
        });
        assertThat(called).containsExactly("outer");
        assertThat(balance()).isEqualTo(5);
    }

    @Test
    void entityManagerOfAWebRequestIsPutAsideAndComesBack() {
        opened();
        EntityManagerFactory factory = application.bean(EntityManagerFactory.class);
        try (EntityManager ofTheRequest = factory.createEntityManager()) {
            Object holder = new EntityManagerHolder(ofTheRequest);
            TransactionSynchronizationManager.bindResource(factory, holder);
            try {
                executes(Protocol.CLAIM_FIRST, connection -> {
                    accounts.deposit(id, 5);
                    return "deposited";
                });
                assertThat(TransactionSynchronizationManager.getResource(factory))
                        .isSameAs(holder);
            } finally {
                TransactionSynchronizationManager.unbindResource(factory);
            }
        }
        assertThat(balance()).isEqualTo(5);
    }

    // ---- after the end -------------------------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void listenerAfterTheCommitSeesTheRowOnce(Protocol protocol) {
        opened();
        List<Long> seen = new ArrayList<>();
        listener.reactWith(account -> {
            try (Connection own = application.database.pool().getConnection();
                    PreparedStatement query = own.prepareStatement("SELECT balance FROM account WHERE id = ?")) {
                query.setString(1, account);
                try (ResultSet row = query.executeQuery()) {
                    row.next();
                    seen.add(row.getLong(1));
                }
            } catch (SQLException thrown) {
                throw new IllegalStateException(thrown);
            }
        });
        for (int tries = 0; tries < 3; tries++) {
            assertThat(operation(protocol)
                            .execute(attempt(), connection -> {
                                accounts.deposit(id, 5);
                                return "deposited";
                            })
                            .orElseThrow())
                    .isEqualTo("deposited");
        }
        assertThat(seen).containsExactly(5L);
    }

    @ParameterizedTest
    @EnumSource
    void listenerAfterTheCommitThatThrowsChangesNoAnswer(Protocol protocol) {
        opened();
        listener.reactWith(account -> {
            throw new IllegalStateException("no mail");
        });
        for (Class<?> expected : List.of(Outcome.Executed.class, Outcome.Replayed.class)) {
            assertThat(operation(protocol).execute(attempt(), connection -> {
                        accounts.deposit(id, 5);
                        return "deposited";
                    }))
                    .isInstanceOf(expected);
        }
        assertThat(balance()).isEqualTo(5);
    }

    @Test
    void callbacksAreToldHowTheTransactionEnded() {
        List<Integer> told = new ArrayList<>();
        TransactionSynchronization callback = new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                told.add(status);
            }
        };
        executes(Protocol.CLAIM_FIRST, connection -> {
            TransactionSynchronizationManager.registerSynchronization(callback);
            return "done";
        });
        assertThatThrownBy(() -> operation(Protocol.CLAIM_FIRST).execute(attempt("other-" + id), connection -> {
                    TransactionSynchronizationManager.registerSynchronization(callback);
                    throw new IllegalArgumentException("refused");
                }))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(told)
                .containsExactly(
                        TransactionSynchronization.STATUS_COMMITTED, TransactionSynchronization.STATUS_ROLLED_BACK);
    }

    @Test
    void newTransactionOfAListenerAfterTheCommitCommits() {
        opened();
        listener.reactWith(account -> {
            listener.reactWith(again -> {});
            accounts.depositInANewTransaction(account);
        });
        executes(Protocol.CLAIM_FIRST, connection -> {
            accounts.deposit(id, 5);
            return "deposited";
        });
        assertThat(balance()).isEqualTo(6);
    }

    // ---- conflicts and lost connections --------------------------------------------------------------------------

    @ParameterizedTest
    @EnumSource
    void twoKeysThatCollideOnAVersionBothSucceed(Protocol protocol) throws Exception {
        opened();
        CyclicBarrier bothHaveRead = new CyclicBarrier(2);
        AtomicInteger runs = new AtomicInteger();
        List<Race.Result<Outcome<String>>> outcomes = Race.of(
                2,
                caller -> operation(protocol).execute(attempt(id + caller), connection -> {
                    accounts.deposit(id, 5);
                    if (runs.incrementAndGet() <= 2) {
                        bothHaveRead.await(30, TimeUnit.SECONDS);
                    }
                    return "deposited";
                }));
        assertThat(outcomes).allSatisfy(outcome -> assertThat(outcome.orFail()).isInstanceOf(Outcome.Executed.class));
        assertThat(balance()).isEqualTo(10);
        assertThat(runs).hasValue(3);
    }

    @ParameterizedTest
    @EnumSource
    void connectionThatIsKilledBetweenFlushAndCommitCostsARunOnly(Protocol protocol) throws SQLException {
        opened();
        AtomicInteger runs = new AtomicInteger();
        assertThat(operation(protocol).execute(attempt(), connection -> {
                    accounts.deposit(id, 5);
                    application.entities().flush();
                    if (runs.incrementAndGet() == 1) {
                        int server = new JdbcTemplate(application.database.pool())
                                .queryForObject("SELECT pg_backend_pid()", Integer.class);
                        kill(server);
                    }
                    return "deposited";
                }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(runs).hasValue(2);
        assertThat(balance()).isEqualTo(5);
    }

    private static void kill(int server) throws SQLException {
        try (Connection own = application.database.pool().getConnection();
                PreparedStatement kill = own.prepareStatement("SELECT pg_terminate_backend(?, 10000)")) {
            kill.setInt(1, server);
            kill.execute();
        }
    }
}
