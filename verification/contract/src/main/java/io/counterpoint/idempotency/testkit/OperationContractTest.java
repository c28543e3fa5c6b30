package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.Outcome.Ending;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.internal.Rethrow;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.LockScope;
import io.counterpoint.idempotency.testkit.faults.FaultyStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/** Base class of tests about operations run in one way, on a store that can fail and with a fixed clock. */
abstract class OperationContractTest<C> extends ContractTest<C> {

    final ProtocolVariant way;

    /** Adds the variant to test failures, because the name of a test does not contain it. */
    @RegisterExtension
    final TestExecutionExceptionHandler names;

    FaultyStore<C> faulty;
    ControllableClock clock;
    RecordingListener events;
    FakeRemote remote;

    OperationContractTest(OperationFixture<C> fixture) {
        super(fixture.store());
        this.way = fixture.way();
        this.names = (context, thrown) -> {
            thrown.addSuppressed(new AssertionError("This was " + way));
            throw thrown;
        };
    }

    @BeforeEach
    void begin() {
        faulty = FaultyStore.around(store);
        clock = new ControllableClock();
        events = new RecordingListener();
        remote = new FakeRemote();
    }

    @AfterEach
    void noSessionIsLeftOpen() {
        assertThat(faulty.openSessions()).isZero();
    }

    /** If an armed fault never occurs, the test has not tested anything. */
    @AfterEach
    void everyFaultHasOccurred() {
        assertThat(faulty.isArmed()).as("a fault is armed that no call has met").isFalse();
    }

    final TestOperation.Builder<C> caller() {
        return new TestOperation.Builder<>(
                way, Idempotency.builder(faulty).clock(clock).listener(events), domain, remote);
    }

    /** A caller in another process: the same store without faults or a listener. */
    final TestOperation.Builder<C> anotherCaller() {
        return new TestOperation.Builder<>(way, Idempotency.builder(store).clock(clock), domain, remote);
    }

    static Attempt attempt(String value) {
        return attempt(value, "request");
    }

    static Attempt attempt(String value, String request) {
        return Attempt.inScope("user:1").key(value).request(request);
    }

    final List<String> effects() {
        return way.external() ? remote.names() : domain.committed();
    }

    /** A record as another leader of the same request would leave it before it did anything else. */
    final Pending pendingOfAnother(String value, Optional<String> plan) {
        return pendingOfAnother(key(value), way.claimsFirst() ? way.protocol : Protocol.CLAIM_FIRST, plan);
    }

    final Pending pendingOfAnother(IdempotencyKey key, Protocol protocol, Optional<String> plan) {
        return plant(new Pending(
                key,
                protocol,
                UUID.randomUUID(),
                Fingerprint.ofParts("request"),
                plan.map(ContractTest::bytes),
                Duration.ZERO));
    }

    /** Does what another process has done under the key: its effect and its record are committed. */
    final void rivalSucceeds(String value) {
        Succeeded theirs = new Succeeded(
                key(value),
                Protocol.SINGLE_TRANSACTION,
                UUID.randomUUID(),
                Fingerprint.ofParts("request"),
                Optional.of(bytes("theirs")));
        AnotherThread.run(() -> inTransaction((steps, scope) -> {
            domain.write(scope.handle(), "theirs");
            return claim(steps, theirs);
        }));
    }

    /** Makes the leader of a record succeed, without an effect. */
    final boolean succeeds(Pending record, String result) {
        return changes(transaction -> transaction.succeed(record.key(), record.token(), Optional.of(bytes(result))));
    }

    /** Makes the leader of a record fail, regardless of any effect. */
    final boolean fails(Pending record, Failure failure) {
        return changes(transaction -> transaction.fail(record.key(), record.token(), failure));
    }

    final boolean isPending(String value) {
        return found(key(value)).fold(pending -> true, succeeded -> false, failed -> false);
    }

    final boolean isFailed(String value) {
        return found(key(value)).fold(pending -> false, succeeded -> false, failed -> true);
    }

    final boolean isSucceeded(String value) {
        return found(key(value)) instanceof Succeeded;
    }

    /**
     * Requires that the key has a record that no call runs again, in this process or another, even after the grace
     * period.
     */
    final void requireUnresolved(TestOperation<C> caller, String value) throws Exception {
        assertThat(isPending(value)).isTrue();
        assertThat(found(key(value)).protocol()).isEqualTo(Protocol.EXTERNAL);
        assertThat(faulty.mostSessions()).isEqualTo(1);
        faulty.disarm();
        letTimePass(Duration.ofNanos(1000));
        int runs = caller.runs();
        TestOperation<C> another = anotherCaller()
                .inDatabase(operation -> operation.whenAbandoned(Operation.Abandoned.FAIL, Duration.ofNanos(1)))
                .build();
        assertInProgress(caller.call(attempt(value), "again"), Ending.NEEDS_OPERATOR);
        assertInProgress(another.call(attempt(value), "again"), Ending.NEEDS_OPERATOR);
        // A process that has not seen the key works before it encounters a record that is inserted last.
        assertThat(another.runs()).isLessThanOrEqualTo(way.recordsLast() ? 1 : 0);
        assertThat(caller.runs()).isEqualTo(runs);
    }

    /** Another call is or was the leader, and the ending tells what will settle the attempt if that call is gone. */
    static void assertInProgress(Outcome<String> outcome, Ending ending) {
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.InProgress.class,
                        inProgress -> assertThat(inProgress.ending()).isEqualTo(ending));
    }

    final Ending endingOfALeader() {
        return way.external() ? Ending.NEEDS_OPERATOR : Ending.LATER_CALL;
    }

    /** If locks are local, a failure keeps out what may be in flight. */
    final void requireReleasedAfterALostAnswer(String value) {
        Optional<IdempotencyRecord> record = read(key(value));
        assertThat(record.isEmpty()).isEqualTo(store.lockScope() == LockScope.GLOBAL);
        assertThat(record.filter(found -> !(found instanceof Failed))).isEmpty();
    }

    final IdempotencyRecord record(String value) {
        return ageless(found(key(value)));
    }

    /** Does what a follower would do to a leader that seems dead, followed by its work without an effect. */
    final void takeOverAndSucceed(IdempotencyKey key, String result) {
        IdempotencyRecord record = found(key);
        UUID fresh = UUID.randomUUID();
        boolean done = changes(transaction -> transaction.replaceToken(key, record.token(), fresh))
                && changes(transaction -> transaction.succeed(key, fresh, Optional.of(bytes(result))));
        if (!done) {
            throw new AssertionError("The record of " + key + " could not be taken over");
        }
    }

    /** Does what an arbiter would do to a leader that seems dead. */
    final boolean failAsAbandoned(IdempotencyKey key) {
        IdempotencyRecord record = found(key);
        return changes(transaction ->
                transaction.fail(key, record.token(), failed(key.value()).failure()));
    }

    /** Does what a database crash does to a claim that was not durable. */
    final boolean forget(IdempotencyKey key) {
        IdempotencyRecord record = found(key);
        return changes(transaction -> transaction.release(key, record.token()));
    }

    /** Calls with work that writes its effect and then throws. */
    static Throwable thrownBy(TestOperation<?> caller, String value, Throwable thrown) {
        return catchThrowable(() -> caller.call(attempt(value), "result", effects -> {
            effects.write();
            throw Rethrow.unchanged(thrown);
        }));
    }

    /**
     * An unknown outcome is thrown as such, with the original exception as its cause; an error is rethrown as the same
     * object.
     */
    static void assertLeaves(Throwable thrown, Throwable left) {
        if (thrown instanceof Error) {
            assertThat(left).isSameAs(thrown);
            assertThat(left.getSuppressed()).hasAtLeastOneElementOfType(OutcomeUnknownException.class);
        } else {
            assertThat(left).isInstanceOf(OutcomeUnknownException.class).hasCause(thrown);
        }
    }
}
