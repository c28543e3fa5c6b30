package io.counterpoint.idempotency.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.testkit.faults.FaultyStore;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Callbacks and listeners, before and after the end. */
abstract class CallbackCases extends JoinedCases {

    @ParameterizedTest
    @EnumSource
    void listenerAfterTheCommitSeesTheRowOnce(Protocol protocol) {
        opened();
        List<Long> seen = new ArrayList<>();
        listener.reactWith(account -> {
            try (Connection own = application().database.pool().getConnection();
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

    @Test
    void serviceThatFailsInACallbackBeforeTheCommitLeavesNothing() {
        opened();
        assertThatThrownBy(() -> operation(Protocol.CLAIM_FIRST).execute(attempt(), connection -> {
                    TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                        @Override
                        public void beforeCommit(boolean readOnly) {
                            assertThat(catchThrowable(() -> accounts.depositAndThrow(id)))
                                    .isNotNull();
                        }
                    });
                    return "done";
                }))
                .isInstanceOf(UnexpectedRollbackException.class);
        assertThat(balance()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void callbackAfterTheCommitIsNotCalledForACommitThatDidNotArrive(Protocol protocol) {
        List<String> called = new ArrayList<>();
        FaultyStore<Connection> faulty = FaultyStore.around(store);
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);
        AtomicInteger runs = new AtomicInteger();
        assertThat(operation(protocol, faulty).execute(attempt(), connection -> {
                    String run = "run " + runs.incrementAndGet();
                    TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                        @Override
                        public void afterCommit() {
                            called.add(run);
                        }
                    });
                    return "done";
                }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(called).containsExactly("run 2");
    }
}
