package io.counterpoint.idempotency.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Outcome;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Callbacks and listeners after the end. */
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
}
