package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.LockScope;
import io.counterpoint.idempotency.testkit.faults.ArmedCall;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The mark, which is the last statement before the commit. */
abstract class MarkContract<C> extends OperationContractTest<C> {

    MarkContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    @Test
    void markThatIsLostWithItsTransactionIsRunAgain() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.SUCCEED).losesAnswer();

        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);

        assertThat(caller.runs()).isEqualTo(2);
        assertThat(effects()).containsExactly("result");
        assertThat(events.take()).doesNotContain("commit unknown");
    }

    /** If locks are local, another node may have ended it, so the work runs again. */
    @Test
    void markThatChangesNothingShowsThatTheWorkEndedItsTransaction() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.SUCCEED).changesNothing();

        if (store.lockScope() == LockScope.NODE) {
            assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);
            assertThat(caller.runs()).isEqualTo(2);
            assertThat(effects()).containsExactly("result");
            return;
        }
        assertThatThrownBy(() -> caller.call(attempt("k"), "result"))
                .isInstanceOfSatisfying(
                        OutcomeUnknownException.class,
                        thrown -> assertThat(thrown.isRetryable()).isFalse())
                .hasMessageContaining("ended the transaction");

        assertThat(events.take()).endsWith("unresolved");
        requireUnresolved(caller, "k");
        assertThat(caller.runs()).isEqualTo(1);
        assertThat(effects()).isEmpty();
    }

    /** The write or its reply is lost. It is retried, and finally reported. */
    @Test
    void attemptThatNobodyMayRunAgainIsRecordedWhenTheStoreAnswersAgain() throws Exception {
        for (boolean arrives : store.lockScope() != LockScope.NODE ? List.of(true, false) : List.<Boolean>of()) {
            TestOperation<C> caller = caller().build();
            String value = "arrives-" + arrives;
            faulty.at(StoreCall.SUCCEED).changesNothing().after(() -> {
                ArmedCall commit = faulty.at(StoreCall.COMMIT);
                ArmedCall unused = arrives ? commit.losesAnswer() : commit.fails(Fault.CONNECTION_LOST);
            });

            assertThatThrownBy(() -> caller.call(attempt(value), value))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasMessageContaining("a record under which nothing runs again");

            requireUnresolved(caller, value);
        }
    }

    @Test
    void attemptThatNobodyMayRunAgainIsToldWhereItCannotBeRecorded() {
        if (store.lockScope() == LockScope.NODE) {
            return;
        }
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.SUCCEED)
                .changesNothing()
                .after(() -> faulty.at(StoreCall.OPEN).always().fails(Fault.CONNECTION_LOST));

        assertThatThrownBy(() -> caller.call(attempt("k"), "result"))
                .isInstanceOfSatisfying(
                        OutcomeUnknownException.class,
                        thrown -> assertThat(thrown.isRetryable()).isFalse())
                .hasMessageContaining("a retry may run the work again");
    }

    @Test
    void markThatFailsForAPassingReasonIsRunAgain() throws Exception {
        for (Fault fault : List.of(Fault.CONFLICT, Fault.LOCK_TIMEOUT, Fault.CANCELLED)) {
            TestOperation<C> caller = caller().build();
            String value = fault.name();
            faulty.at(StoreCall.SUCCEED).fails(fault);

            assertThat(caller.call(attempt(value), value)).isInstanceOf(Outcome.Executed.class);

            assertThat(caller.runs()).isEqualTo(2);
            assertThat(effects()).containsOnlyOnce(value);
        }
    }
}
