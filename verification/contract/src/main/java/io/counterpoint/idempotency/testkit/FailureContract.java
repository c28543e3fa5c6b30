package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.internal.Rethrow;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Work in the store's own database that throws: it is rolled back, recorded, and the same exception is rethrown. */
abstract class FailureContract<C> extends OperationContractTest<C> {

    FailureContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    @Test
    void whateverTheWorkThrowsIsTheSameObjectAndTheAttemptHasFailed() throws Exception {
        TestOperation<C> caller = caller().build();
        for (Throwable thrown : List.of(
                new IOException("checked"), new IllegalArgumentException("unchecked"), new AssertionError("error"))) {
            String code = thrown.getClass().getSimpleName();
            String value = "k-" + code;

            assertThat(thrownBy(caller, value, thrown)).isSameAs(thrown);

            Failed failed = (Failed) found(key(value));
            assertThat(failed)
                    .isEqualTo(new Failed(
                            key(value),
                            way.protocol,
                            failed.token(),
                            Fingerprint.ofParts("request"),
                            new Failure(code, "")));
            assertThat(events.take()).containsExactly("claimed", "failed " + code);
            assertThat(caller.call(attempt(value), "result"))
                    .isEqualTo(new Outcome.Rejected<>(key(value), new Failure(code, "")));
            assertThat(events.take()).containsExactly("rejected " + code);
        }
        assertThat(caller.runs()).isEqualTo(3);
        assertThat(effects()).isEmpty();
    }

    @Test
    void interruptedExceptionLeavesTheThreadInterrupted() {
        TestOperation<C> caller = caller().build();
        InterruptedException thrown = new InterruptedException("stop");

        boolean interrupted = AnotherThread.get(() -> {
            assertThat(thrownBy(caller, "k", thrown)).isSameAs(thrown);
            return Thread.interrupted();
        });

        assertThat(interrupted).isTrue();
        assertThat(isFailed("k")).isTrue();
        assertThat(effects()).isEmpty();
    }

    @Test
    void failureIsDescribedAsTheOperationWants() throws Exception {
        Failure declined = new Failure("card-declined", "Use another card.");
        TestOperation<C> caller = caller().inDatabase(operation -> operation.describeFailure(thrown -> declined))
                .build();

        assertThat(thrownBy(caller, "k", new IOException("secret"))).isInstanceOf(IOException.class);

        assertThat(caller.call(attempt("k"), "result")).isEqualTo(new Outcome.Rejected<>(key("k"), declined));
    }

    @Test
    void descriptionThatThrowsGivesWayToTheDefault() {
        for (Throwable indescribable : List.of(new IllegalStateException("no"), new AssertionError("no"))) {
            TestOperation<C> caller = caller().inDatabase(operation -> operation.describeFailure(thrown -> {
                        throw Rethrow.unchanged(indescribable);
                    }))
                    .build();
            String value = indescribable.getClass().getSimpleName();
            IOException thrown = new IOException("domain");

            assertThat(thrownBy(caller, value, thrown)).isSameAs(thrown);

            assertThat(thrown).hasSuppressedException(indescribable);
            assertThat(((Failed) found(key(value))).failure().code()).isEqualTo("IOException");
        }
    }

    @SuppressWarnings("NullAway") // The mistake under test.
    private static Failure nothing() {
        return null;
    }

    @Test
    void descriptionThatIsNullGivesWayToTheDefault() {
        TestOperation<C> caller = caller().inDatabase(operation -> operation.describeFailure(thrown -> nothing()))
                .build();
        IOException thrown = new IOException("domain");

        assertThat(thrownBy(caller, "k", thrown)).isSameAs(thrown);

        assertThat(thrown.getSuppressed()).hasSize(1);
        assertThat(((Failed) found(key("k"))).failure().code()).isEqualTo("IOException");
    }

    @Test
    void releasedKeyCanBeUsedAgain() throws Exception {
        TestOperation<C> caller = caller().inDatabase(
                        operation -> operation.releaseOn(thrown -> thrown instanceof IOException))
                .build();
        IOException thrown = new IOException("passing");

        assertThat(thrownBy(caller, "k", thrown)).isSameAs(thrown);

        assertThat(events.take()).containsExactly("claimed", "released");
        assertThat(read(key("k"))).isEmpty();
        assertThat(caller.call(attempt("k"), "result")).isInstanceOf(Outcome.Executed.class);
        assertThat(effects()).containsExactly("result");
        assertThat(thrownBy(caller, "other", new IllegalStateException())).isInstanceOf(IllegalStateException.class);
        assertThat(isFailed("other")).isTrue();
    }

    @Test
    void releaseThatCannotBeProvenIsUnknown() {
        TestOperation<C> caller = caller().inDatabase(operation -> operation.releaseOn(IOException.class::isInstance))
                .build();
        for (StoreCall call : List.of(StoreCall.READ, StoreCall.RELEASE, StoreCall.FAIL)) {
            faulty.at(call).always().fails(Fault.CONNECTION_LOST);
        }
        IOException thrown = new IOException("passing");

        assertThat(thrownBy(caller, "k", thrown))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasCause(thrown);
        assertThat(faulty.calls()).hasSizeLessThan(50);
    }

    @Test
    void releaseThatCannotBeDecidedIsNone() {
        for (Throwable undecided : List.of(new IllegalStateException("undecided"), new AssertionError("undecided"))) {
            TestOperation<C> caller = caller().inDatabase(operation -> operation.releaseOn(thrown -> {
                        throw Rethrow.unchanged(undecided);
                    }))
                    .build();
            String value = undecided.getClass().getSimpleName();
            IOException thrown = new IOException("domain");

            assertThat(thrownBy(caller, value, thrown)).isSameAs(thrown);

            assertThat(thrown).hasSuppressedException(undecided);
            assertThat(isFailed(value)).isTrue();
        }
    }

    @Test
    void planThatCannotBeMadeStartsNothing() {
        TestOperation<C> caller = caller().build();
        IllegalStateException thrown = new IllegalStateException("no identifiers left");

        assertThat(catchThrowable(() -> caller.call(
                        attempt("k"),
                        () -> {
                            throw thrown;
                        },
                        TestOperation.Effects::write)))
                .isSameAs(thrown);

        // Without a plan, the work throws instead.
        assertThat(read(key("k")).isPresent()).isEqualTo(!way.planned);
    }
}
