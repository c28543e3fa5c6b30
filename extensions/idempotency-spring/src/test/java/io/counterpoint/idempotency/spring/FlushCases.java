package io.counterpoint.idempotency.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.Outcome;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Entities that a flush writes, and callbacks before the commit. */
abstract class FlushCases extends JoinedCases {

    @ParameterizedTest
    @EnumSource
    void uniqueViolationThatTheFlushFindsIsTheWorksOwnException(Protocol protocol) {
        opened();
        Throwable thrown = catchThrowable(() -> operation(protocol).execute(attempt(), connection -> {
            application().entities().persist(new Account(id));
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

    @ParameterizedTest
    @EnumSource
    void exceptionOfAnEntityThatTheFlushChecksIsTheWorksOwn(Protocol protocol) {
        opened();
        Throwable thrown = catchThrowable(() -> operation(protocol).execute(attempt(), connection -> {
            accounts.deposit(id, -5);
            return "withdrawn";
        }));
        assertThat(thrown).hasRootCauseMessage("Overdrawn.").isNotInstanceOf(IdempotencyException.class);
        assertThat(operation(protocol).execute(attempt(), connection -> "again"))
                .isInstanceOf(Outcome.Rejected.class);
        assertThat(balance()).isZero();
    }
}
