package io.counterpoint.idempotency.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.sql.Connection;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Tests of an application whose entities and services join, on PostgreSQL. */
abstract class JoinedCases {

    String id;
    Accounts accounts;
    AccountsApplication.Listener listener;
    SpringIdempotencyStore store;

    static Application application() {
        return JoinedTransactionTest.application();
    }

    @BeforeEach
    void prepare() {
        id = UUID.randomUUID().toString();
        accounts = application().bean(Accounts.class);
        listener = application().bean(AccountsApplication.Listener.class);
        listener.reactWith(account -> {});
        store = application().store();
    }

    @AfterEach
    void nothingIsBoundToTheThread() {
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
        assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
        assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                .isFalse();
        assertThat(TransactionSynchronizationManager.getCurrentTransactionName())
                .isNull();
        assertThat(application().database.pool().getHikariPoolMXBean().getActiveConnections())
                .isZero();
    }

    /** The protocols in which work runs in the store's transaction. */
    enum Protocol {
        CLAIM_FIRST,
        SINGLE_TRANSACTION
    }

    final Operation<Connection, String> operation(Protocol protocol, IdempotencyStore<Connection> on) {
        Operation.Builder<Connection, String> builder = Idempotency.on(on).operation("deposit", ResultCodec.string());
        return (protocol == Protocol.SINGLE_TRANSACTION
                        ? builder.protocol(Operation.Protocol.SINGLE_TRANSACTION)
                        : builder)
                .build();
    }

    final Operation<Connection, String> operation(Protocol protocol) {
        return operation(protocol, store);
    }

    interface Work {
        String run(Connection connection);
    }

    final void executes(Protocol protocol, Work work) {
        assertThat(operation(protocol).execute(attempt(), work::run)).isInstanceOf(Outcome.Executed.class);
    }

    final Attempt attempt() {
        return attempt("key-" + id);
    }

    static Attempt attempt(String key) {
        return Attempt.inScope("user:1").key(key).request("request");
    }

    final void opened() {
        accounts.open(id);
    }

    final long balance() {
        return application().database.jdbc().queryForObject("SELECT balance FROM account WHERE id = ?", Long.class, id);
    }

    final boolean exists() {
        return application()
                        .database
                        .jdbc()
                        .queryForObject("SELECT count(*) FROM account WHERE id = ?", Integer.class, id)
                > 0;
    }
}
