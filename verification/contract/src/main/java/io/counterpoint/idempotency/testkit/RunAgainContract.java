package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.testkit.faults.InjectedFault;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Work that encounters a database fault runs again if that may help, a bounded number of times. */
abstract class RunAgainContract<C> extends OperationContractTest<C> {

    RunAgainContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    @Test
    void workThatMeetsAPassingFaultRunsAgainAndHasItsEffectOnce() throws Exception {
        for (Fault fault : List.of(Fault.CONFLICT, Fault.LOCK_TIMEOUT, Fault.CANCELLED, Fault.CONNECTION_LOST)) {
            TestOperation<C> caller = caller().build();
            String value = fault.name();

            Outcome<String> outcome = caller.call(attempt(value), value, effects -> {
                effects.write();
                if (caller.runs() <= 2) {
                    throw new InjectedFault(fault);
                }
            });

            assertThat(outcome).isEqualTo(new Outcome.Executed<>(key(value), value));
            assertThat(caller.runs()).isEqualTo(3);
            assertThat(caller.plans()).isEqualTo(way.planned ? 1 : 0);
            assertThat(effects()).containsOnlyOnce(value);
            assertThat(isSucceeded(value)).isTrue();
        }
        assertThat(effects()).hasSize(4);
        assertThat(events.take()).filteredOn("retried"::equals).hasSize(8);
        assertThat(clock.sleeps())
                .hasSize(8)
                .allSatisfy(pause -> assertThat(pause).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(1)));
    }

    @Test
    void workThatCannotRunAgainIsNeverSaidNotToHaveStarted() {
        TestOperation<C> caller = caller().build();
        faulty.second(StoreCall.OPEN).always().fails(Fault.CONNECTION_LOST);

        assertThat(thrownBy(caller, "k", new InjectedFault(Fault.CONFLICT)))
                .isInstanceOf(OutcomeUnknownException.class);

        assertThat(caller.runs()).isEqualTo(1);
    }

    @Test
    void reRunsAreBoundedAndThenTheAttemptHasFailed() throws Exception {
        TestOperation<C> caller =
                caller().inDatabase(operation -> operation.maxRetries(2)).build();
        InjectedFault conflict = new InjectedFault(Fault.CONFLICT);

        assertThat(thrownBy(caller, "k", conflict)).isSameAs(conflict);

        assertThat(caller.runs()).isEqualTo(3);
        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Rejected.class);
        assertThat(effects()).isEmpty();
    }

    @Test
    void reRunsThatAreUsedUpReleaseWhereTheOperationWants() throws Exception {
        TestOperation<C> caller = caller().inDatabase(
                        operation -> operation.maxRetries(0).releaseOn(thrown -> thrown instanceof InjectedFault))
                .build();
        InjectedFault conflict = new InjectedFault(Fault.CONFLICT);

        assertThat(thrownBy(caller, "k", conflict)).isSameAs(conflict);

        assertThat(caller.runs()).isEqualTo(1);
        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    void workThatIsRefusedByTheDatabaseIsNotRunAgain() {
        for (Fault fault : List.of(Fault.STATEMENT_REFUSED, Fault.UNRECOGNISED)) {
            TestOperation<C> caller = caller().build();
            InjectedFault thrown = new InjectedFault(fault);

            assertThat(thrownBy(caller, fault.name(), thrown)).isSameAs(thrown);

            assertThat(caller.runs()).isEqualTo(1);
            assertThat(isFailed(fault.name())).isTrue();
        }
        assertThat(effects()).isEmpty();
    }

    @Test
    void lastStepThatIsRefusedRollsTheWorkBack() {
        TestOperation<C> caller =
                caller().inDatabase(operation -> operation.maxRetries(0)).build();
        faulty.at(way == ProtocolVariant.SINGLE_TRANSACTION_PLANNED ? StoreCall.COMMIT : StoreCall.SUCCEED)
                .fails(Fault.STATEMENT_REFUSED);

        Throwable thrown = catchThrowable(() -> caller.call(attempt("k"), "result"));

        assertThat(thrown).isInstanceOf(InjectedFault.class);
        assertThat(effects()).isEmpty();
        assertThat(isFailed("k")).isTrue();
    }
}
