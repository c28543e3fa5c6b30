package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.LockScope;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Commits whose reply is lost and whose records may be purged before the leader can look. */
abstract class PurgedInDoubtContract<C> extends OperationContractTest<C> {

    PurgedInDoubtContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    /**
     * The record may have been purged by then. Without its own claim, the leader cannot distinguish that from a
     * rollback.
     */
    @Test
    void commitInDoubtForLongerThanTheRetentionIsUnknownIfThereIsNoRecord() throws Exception {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST).before(() -> clock.advance(Duration.ofDays(2)));

        Throwable thrown = catchThrowable(() -> caller.call(attempt("k"), "result"));

        if (!way.claimsFirst()) {
            assertThat(thrown)
                    .isInstanceOfSatisfying(
                            OutcomeUnknownException.class,
                            unknown -> assertThat(unknown.isRetryable()).isFalse())
                    .hasMessageContaining("purged");
            requireUnresolved(caller, "k");
        }
        assertThat(caller.runs()).isEqualTo(way.claimsFirst() ? 2 : 1);
        assertThat(effects()).hasSize(way.claimsFirst() ? 1 : 0);
    }

    /** The time counts from the run in doubt, unless locks are local and an earlier run can still win. */
    @Test
    void runThatIsProvedRolledBackDoesNotCount() {
        TestOperation<C> caller = caller().build();
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST).before(() -> clock.advance(Duration.ofHours(18)));
        if (way.claimsFirst()) {
            faulty.at(StoreCall.COMMIT);
        }
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST).before(() -> clock.advance(Duration.ofHours(18)));

        Throwable thrown = catchThrowable(() -> caller.call(attempt("k"), "result"));

        boolean unknown = !way.claimsFirst() && store.lockScope() != LockScope.GLOBAL;
        assertThat(thrown == null).isEqualTo(!unknown);
        assertThat(caller.runs()).isEqualTo(unknown ? 2 : 3);
    }

    @Test
    void committedEffectWhoseRecordIsPurgedInDoubtIsNotMadeAgain() throws Exception {
        TestOperation<C> caller = caller().inDatabase(operation -> operation.retention(Duration.ofMillis(1)))
                .build();
        faulty.at(StoreCall.COMMIT)
                .losesAnswer()
                .after(() -> AnotherThread.run(() -> {
                    clock.advance(Duration.ofMillis(2));
                    letTimePass(Duration.ofMillis(2));
                    assertThat(store.purgeExpired(1)).isEqualTo(1);
                }));

        assertThatThrownBy(() -> caller.call(attempt("k"), "result")).isInstanceOf(OutcomeUnknownException.class);

        assertThat(caller.runs()).isEqualTo(1);
        assertThat(effects()).containsExactly("result");
        requireUnresolved(caller, "k");
    }
}
