package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** An operator's resolution of an external attempt that no call can settle. */
abstract class ResolveContract<C> extends OperationContractTest<C> {

    private static final Failure LOST = new Failure("lost", "The order was never placed.");

    ResolveContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    private Optional<String> plan() {
        return way.planned ? Optional.of("plan") : Optional.empty();
    }

    @Test
    void resolvedSuccessIsReturnedToEveryRetry() throws Exception {
        TestOperation<C> caller = caller().build();
        pendingOfAnother("k", plan());
        String result = plan().orElse("result");

        Optional<Outcome<String>> returned = caller.resolveSucceeded(key("k"), "result");

        assertThat(returned).contains(new Outcome.Replayed<>(key("k"), result));
        assertThat(caller.call(attempt("k"), "another").orElseThrow()).isEqualTo(result);
        assertThat(caller.runs()).isZero();
        assertThat(events.take()).startsWith("healed");
    }

    @Test
    void resolvedFailureIsReturnedToEveryRetry() throws Exception {
        TestOperation<C> caller = caller().build();
        pendingOfAnother("k", plan());

        Optional<Outcome<String>> returned = caller.resolveFailed(key("k"), LOST);

        assertThat(returned).contains(new Outcome.Rejected<>(key("k"), LOST));
        assertThat(caller.call(attempt("k"), "another")).isEqualTo(returned.orElseThrow());
        assertThat(caller.runs()).isZero();
        assertThat(events.take()).startsWith("failed lost");
    }

    @Test
    void keyWithoutARecordHasNothingToResolve() {
        TestOperation<C> caller = caller().build();

        assertThat(caller.resolveSucceeded(key("k"), "result")).isEmpty();
        assertThat(caller.resolveFailed(key("k"), LOST)).isEmpty();

        assertThat(read(key("k"))).isEmpty();
    }

    @Test
    void terminalRecordIsReturnedAndNotChanged() {
        TestOperation<C> caller = caller().build();
        Succeeded succeeded = plant(new Succeeded(
                key("s"),
                Protocol.EXTERNAL,
                succeeded("s").token(),
                succeeded("s").fingerprint(),
                Optional.of(bytes("done"))));
        Failed failed = plant(new Failed(
                key("f"), Protocol.EXTERNAL, failed("f").token(), failed("f").fingerprint(), LOST));

        assertThat(caller.resolveFailed(key("s"), LOST)).contains(new Outcome.Replayed<>(key("s"), "done"));
        assertThat(caller.resolveSucceeded(key("f"), "result")).contains(new Outcome.Rejected<>(key("f"), LOST));

        assertThat(found(key("s"))).isEqualTo(succeeded);
        assertThat(found(key("f"))).isEqualTo(failed);
    }

    @Test
    void attemptThatIsNotExternalIsNotResolvedByHand() {
        TestOperation<C> caller = caller().build();
        var record = pendingOfAnother(key("k"), Protocol.CLAIM_FIRST, Optional.empty());

        assertThatThrownBy(() -> caller.resolveFailed(key("k"), LOST))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("CLAIM_FIRST");

        assertThat(record("k")).isEqualTo(record);
    }

    /** Its work has ended the transaction, and its process died before that was recorded. */
    @Test
    void singleTransactionThatIsPendingIsResolvedByHand() throws Exception {
        TestOperation<C> caller = caller().build();
        var unused = pendingOfAnother(key("k"), Protocol.SINGLE_TRANSACTION, Optional.empty());

        assertThat(caller.resolveFailed(key("k"), LOST)).contains(new Outcome.Rejected<>(key("k"), LOST));

        assertThat(caller.call(attempt("k"), "another")).isInstanceOf(Outcome.Rejected.class);
    }

    @Test
    void keyOfAnotherOperationIsRefused() {
        TestOperation<C> another = caller().named("another").build();

        assertThatThrownBy(() -> another.resolveFailed(key("k"), LOST)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void resolutionWhoseAnswerIsLostIsMade() {
        TestOperation<C> caller = caller().build();
        pendingOfAnother("k", plan());
        faulty.at(StoreCall.FAIL).losesAnswer();

        assertThat(caller.resolveFailed(key("k"), LOST)).contains(new Outcome.Rejected<>(key("k"), LOST));

        assertThat(events.take()).startsWith("failed lost");
    }

    @Test
    void resolutionThatCannotBeWrittenIsNotReturned() {
        TestOperation<C> caller = caller().build();
        var record = pendingOfAnother("k", plan());
        faulty.at(StoreCall.SUCCEED).always().fails(Fault.CONNECTION_LOST);

        assertThatThrownBy(() -> caller.resolveSucceeded(key("k"), "result"))
                .isInstanceOf(OutcomeUnknownException.class);

        assertThat(record("k")).isEqualTo(record);
    }

    @Test
    void leaderThatComesBackAfterItsAttemptWasResolvedChangesNothing() throws Exception {
        TestOperation<C> caller = caller().build();

        Outcome<String> leaders = caller.call(attempt("k"), "result", effects -> {
            effects.write();
            assertThat(AnotherThread.get(() -> caller.resolveFailed(key("k"), LOST)))
                    .isPresent();
        });

        assertThat(leaders.orElseThrow()).isEqualTo("result");
        assertThat(isFailed("k")).isTrue();
        assertThat(events.take()).contains("unresolved");
    }

    @Test
    void resolutionThatChangesNothingReturnsWhatIsStored() {
        TestOperation<C> caller = caller().build();
        pendingOfAnother("k", plan());
        faulty.at(StoreCall.FAIL).changesNothing();

        assertThat(caller.resolveFailed(key("k"), LOST))
                .hasValueSatisfying(returned -> assertThat(returned).isInstanceOf(Outcome.InProgress.class));

        assertThat(events.take()).containsExactly("in progress");
    }
}
