package io.counterpoint.idempotency.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Operation.Protocol;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.RejectedException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.internal.Rethrow;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.ForwardingRecordSteps;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.StoreException;
import io.counterpoint.idempotency.spi.WorkScope;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A claim whose work cannot begin: the claim was stored, but the session that is open around the call uses another
 * connection, which is lost.
 */
class WorkThatCannotBeginTest {

    private static final Attempt ATTEMPT = Attempt.inScope("user:1").key("k").request("request");

    /** An exception that a framework throws where the store has no class of its own. */
    private static final class Unbound extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** Where a run ends before its work. */
    enum At {
        BEGIN,
        LOCK
    }

    private final InMemoryIdempotencyStore memory = new InMemoryIdempotencyStore();
    private Throwable lost = new Unbound();
    private At at = At.BEGIN;
    private boolean isLost = true;
    private boolean losesReply;

    private final ForwardingStore<Transaction> store = new ForwardingStore<>(memory) {
        @Override
        public Fault classify(Throwable thrown) {
            return thrown instanceof StoreException known
                    ? known.fault()
                    : thrown instanceof Unbound ? Fault.CONNECTION_LOST : super.classify(thrown);
        }

        @Override
        protected Session<Transaction> decorate(Session<Transaction> real) {
            return new ForwardingSession<>(real) {
                @Override
                public <T> T inTransaction(
                        BiFunction<? super RecordSteps, ? super WorkScope<Transaction>, ? extends T> body) {
                    require(At.BEGIN);
                    T answer = super.inTransaction((steps, scope) -> body.apply(locking(steps), scope));
                    if (losesReply) {
                        losesReply = false;
                        throw new StoreException("commit", Fault.CONNECTION_LOST, null);
                    }
                    return answer;
                }
            };
        }
    };

    private RecordSteps locking(RecordSteps real) {
        return new ForwardingRecordSteps(real) {
            @Override
            public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
                require(At.LOCK);
                return super.lock(key, lockWait);
            }
        };
    }

    private void require(At here) {
        if (isLost && at == here) {
            throw Rethrow.unchanged(lost);
        }
    }

    private Operation<Transaction, String> operation() {
        return operation(Protocol.CLAIM_FIRST);
    }

    private Operation<Transaction, String> operation(Protocol protocol) {
        return Idempotency.builder(store)
                .clock(new StandingClock())
                .build()
                .operation("operation", ResultCodec.string())
                .protocol(protocol)
                .build();
    }

    static Stream<Arguments> ways() {
        return Stream.of(
                        new StoreException("lost", Fault.CONNECTION_LOST, null),
                        new StoreException("held", Fault.LOCK_TIMEOUT, null),
                        new StoreException("refused", Fault.STATEMENT_REFUSED, null),
                        new Unbound(),
                        new IllegalStateException("closed"))
                .flatMap(thrown -> Stream.of(At.values()).map(where -> Arguments.of(thrown, where)));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void keyIsReleasedAndTheNextCallExecutes(RuntimeException thrown, At where) {
        lost = thrown;
        at = where;

        assertThat(catchThrowable(() -> operation().execute(ATTEMPT, transaction -> "never")))
                .isInstanceOfSatisfying(NotStartedException.class, told -> {
                    assertThat(told.reason()).isEqualTo(Reason.RUNS_ROLLED_BACK);
                    assertThat(told).hasMessageContaining("the work could not begin, and the key was released");
                });
        assertThat(memory.read(operation().keyOf(ATTEMPT))).isEmpty();
        isLost = false;
        assertThat(operation().execute(ATTEMPT, transaction -> "done")).isInstanceOf(Outcome.Executed.class);
    }

    /** The work has run, so its attempt fails as after any run, and its caller gets a typed exception. */
    @Test
    void attemptWhoseWorkHasRunFails() {
        isLost = false;

        Throwable thrown = catchThrowable(() -> operation().execute(ATTEMPT, transaction -> {
            isLost = true;
            throw new StoreException("conflict", Fault.CONFLICT, null);
        }));

        assertThat(thrown).isInstanceOf(RejectedException.class);
        assertThat(memory.read(operation().keyOf(ATTEMPT))).get().isInstanceOf(Failed.class);
    }

    /** Its plan may have been used by the call that it was taken over from, also if the reply to the takeover was lost. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void keyThatWasTakenOverIsNotReleased(boolean isUnanswered) {
        IdempotencyKey key = operation().keyOf(ATTEMPT);
        Pending pending = new Pending(
                key,
                IdempotencyRecord.Protocol.CLAIM_FIRST,
                UUID.randomUUID(),
                Fingerprint.ofParts("request"),
                Optional.empty(),
                Duration.ZERO);
        try (Session<Transaction> session = memory.open(key)) {
            Optional<IdempotencyRecord> unused = session.autoCommit(
                    steps -> steps.claim(pending, Duration.ofDays(1), Duration.ZERO, Durability.DURABLE));
        }
        isLost = false;
        losesReply = isUnanswered;
        Class<?> leads = isUnanswered ? IdempotencyEvent.Claimed.class : IdempotencyEvent.TakenOver.class;
        Operation<Transaction, String> successor = Idempotency.builder(store)
                .clock(new StandingClock())
                .listener(event -> isLost |= leads.isInstance(event))
                .build()
                .operation("operation", ResultCodec.string())
                .whenAbandoned(Operation.Abandoned.TAKE_OVER, Duration.ofNanos(1))
                .build();

        Throwable thrown = catchThrowable(() -> successor.execute(ATTEMPT, transaction -> "never"));

        assertThat(isLost).isTrue();
        assertThat(thrown).isNotInstanceOf(NotStartedException.class);
        assertThat(memory.read(key)).isPresent();
    }

    static Stream<Arguments> thrownAsIs() {
        return Stream.of(new MisuseException("two resources"), new OutOfMemoryError("planted"))
                .flatMap(thrown -> Stream.of(
                        Arguments.of(thrown, At.BEGIN, Protocol.CLAIM_FIRST),
                        Arguments.of(thrown, At.LOCK, Protocol.CLAIM_FIRST),
                        Arguments.of(thrown, At.BEGIN, Protocol.SINGLE_TRANSACTION)));
    }

    @ParameterizedTest
    @MethodSource("thrownAsIs")
    void misuseAndErrorsLeaveAsTheSameObjectAndTheKeyIsFree(Throwable thrown, At where, Protocol protocol) {
        lost = thrown;
        at = where;

        assertThat(catchThrowable(() -> operation(protocol).execute(ATTEMPT, transaction -> "never")))
                .isSameAs(thrown);
        assertThat(memory.read(operation().keyOf(ATTEMPT))).isEmpty();
        isLost = false;
        assertThat(operation().execute(ATTEMPT, transaction -> "done")).isInstanceOf(Outcome.Executed.class);
    }
}
