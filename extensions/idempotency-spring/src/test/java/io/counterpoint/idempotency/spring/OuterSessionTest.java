package io.counterpoint.idempotency.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Operation.Protocol;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.hibernate.Session;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A session that is open around the call, as Spring Boot opens one for each web request, over a pool of one. */
@Tag("thorough")
class OuterSessionTest {

    private final LocalContainerEntityManagerFactoryBean bean = new LocalContainerEntityManagerFactoryBean();
    private Database database;
    private HikariDataSource poolOfOne;
    private EntityManagerFactory factory;
    private EntityManager shared;
    private Manager manager;
    private SpringIdempotencyStore store;

    /** A transaction manager whose commit can be made to fail. After a TransactionException Spring does not roll back. */
    private static final class Manager extends JpaTransactionManager {
        private static final long serialVersionUID = 1L;
        private transient Consumer<Runnable> committing = Runnable::run;

        Manager(EntityManagerFactory factory) {
            super(factory);
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            committing.accept(() -> super.doCommit(status));
        }
    }

    @BeforeEach
    void start() {
        database = Database.open(Database.Kind.H2);
        database.jdbc().update("INSERT INTO account (id, balance, version) VALUES ('a', 100, 0)");
        poolOfOne = database.pool(1);
        bean.setDataSource(poolOfOne);
        bean.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
        bean.setManagedTypes(PersistenceManagedTypes.of(Account.class.getName(), Effect.class.getName()));
        bean.afterPropertiesSet();
        factory = Objects.requireNonNull(bean.getObject());
        shared = SharedEntityManagerCreator.createSharedEntityManager(factory);
        manager = new Manager(factory);
        store = SpringIdempotencyStore.on(manager, poolOfOne, options -> options.table("public.idempotency_record"))
                .checkTable();
    }

    @AfterEach
    void stop() {
        bean.destroy();
        poolOfOne.close();
        database.close();
    }

    private Operation<Connection, String> operation(Protocol protocol) {
        return Idempotency.on(store)
                .operation("withdraw", ResultCodec.string())
                .protocol(protocol)
                .build();
    }

    private static Attempt attempt() {
        return Attempt.inScope("user:1").key("key").request("request");
    }

    private void inRequest(Consumer<? super EntityManager> request) {
        try (EntityManager session = factory.createEntityManager()) {
            TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(session));
            try {
                request.accept(session);
            } finally {
                TransactionSynchronizationManager.unbindResource(factory);
            }
        }
        assertThat(poolOfOne.getHikariPoolMXBean().getActiveConnections()).isZero();
    }

    private long balance() {
        return Objects.requireNonNull(
                database.jdbc().queryForObject("SELECT balance FROM account WHERE id = 'a'", Long.class));
    }

    @ParameterizedTest
    @EnumSource
    void entityOfTheRequestIsChangedAndWritten(Protocol protocol) {
        inRequest(session -> {
            Account account = session.find(Account.class, "a");
            assertThat(operation(protocol).execute(attempt(), connection -> {
                        account.add(-10);
                        return "90";
                    }))
                    .isInstanceOf(Outcome.Executed.class);
            assertThat(shared.find(Account.class, "a")).isSameAs(account);
            assertThat(session.contains(account)).isTrue();
        });
        assertThat(balance()).isEqualTo(90);
    }

    @Test
    void laterTransactionOfTheRequestDoesNotUndoTheEffect() {
        inRequest(session -> {
            Account account = session.find(Account.class, "a");
            operation(Protocol.CLAIM_FIRST)
                    .execute(attempt(), connection -> {
                        shared.find(Account.class, "a").add(-10);
                        return "90";
                    })
                    .orElseThrow();
            new TransactionTemplate(manager).executeWithoutResult(status -> account.add(-1));
        });
        assertThat(balance()).isEqualTo(89);
    }

    @ParameterizedTest
    @EnumSource
    void workThatMeetsAConflictRunsOnceAndItsKeyIsReleased(Protocol protocol) {
        AtomicInteger runs = new AtomicInteger();
        CannotAcquireLockException conflict = new CannotAcquireLockException("met", new SQLException("met", "40001"));
        inRequest(session -> {
            Account account = session.find(Account.class, "a");
            assertThatThrownBy(() -> operation(protocol).execute(attempt(), connection -> {
                        account.add(-10);
                        runs.incrementAndGet();
                        throw conflict;
                    }))
                    .matches(thrown -> thrown == conflict
                            || (thrown instanceof NotStartedException && thrown.getCause() == conflict));
        });
        assertThat(runs).hasValue(1);
        assertThat(balance()).isEqualTo(100);

        inRequest(session -> assertThat(operation(protocol).execute(attempt(), connection -> {
                    session.find(Account.class, "a").add(-10);
                    return "90";
                }))
                .isInstanceOf(Outcome.Executed.class));
        assertThat(balance()).isEqualTo(90);
    }

    /** The claim can be stored on another connection, but the work has to begin in its caller's session. */
    @ParameterizedTest
    @EnumSource
    void sessionWithoutItsConnectionStartsNothingAndLeavesTheKeyFree(Protocol protocol) {
        inRequest(session -> {
            session.find(Account.class, "a");
            session.unwrap(Session.class).doWork(Connection::close);
            assertThatThrownBy(() -> operation(protocol).execute(attempt(), connection -> {
                        throw new AssertionError("has run");
                    }))
                    .isInstanceOf(NotStartedException.class);
        });

        inRequest(session -> assertThat(operation(protocol).execute(attempt(), connection -> "90"))
                .isInstanceOf(Outcome.Executed.class));
    }

    @ParameterizedTest
    @EnumSource
    void workWhoseCommitIsNotCarriedOutRunsOnce(Protocol protocol) {
        AtomicInteger runs = new AtomicInteger();
        manager.committing = commit -> {
            throw new IllegalStateException("lost before the commit");
        };
        inRequest(session -> {
            Account account = session.find(Account.class, "a");
            assertThatThrownBy(() -> operation(protocol).execute(attempt(), connection -> {
                        runs.incrementAndGet();
                        // What comes next may commit.
                        account.add(-10);
                        return "90";
                    }))
                    .isInstanceOf(RuntimeException.class);
            assertThat(session.contains(account))
                    .as("entities whose transaction has an unknown end are forgotten")
                    .isFalse();
        });
        assertThat(runs).hasValue(1);
        assertThat(balance()).isEqualTo(100);
    }

    @ParameterizedTest
    @EnumSource
    void commitWhoseReplyIsLostIsFoundAndItsEntitiesAreForgotten(Protocol protocol) {
        AtomicInteger runs = new AtomicInteger();
        manager.committing = commit -> {
            manager.committing = Runnable::run;
            commit.run();
            throw new TransactionSystemException("reply lost");
        };
        inRequest(session -> {
            Account account = session.find(Account.class, "a");
            assertThat(operation(protocol).execute(attempt(), connection -> {
                        runs.incrementAndGet();
                        account.add(-10);
                        return "90";
                    }))
                    .isInstanceOfAny(Outcome.Executed.class, Outcome.Replayed.class);
            assertThat(session.contains(account)).isFalse();
        });
        assertThat(runs).hasValue(1);
        assertThat(balance()).isEqualTo(90);
    }

    @Test
    void withoutASessionAroundItTheWorkRunsAgain() {
        AtomicInteger runs = new AtomicInteger();
        assertThat(operation(Protocol.CLAIM_FIRST).execute(attempt(), connection -> {
                    shared.find(Account.class, "a").add(-10);
                    if (runs.incrementAndGet() == 1) {
                        throw new CannotAcquireLockException("met", new SQLException("met", "40001"));
                    }
                    return "90";
                }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(runs).hasValue(2);
        assertThat(balance()).isEqualTo(90);
    }
}
