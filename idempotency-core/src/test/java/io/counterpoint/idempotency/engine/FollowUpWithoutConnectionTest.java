package io.counterpoint.idempotency.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A pool without a free connection, each of whose callers waits as long as the pool's own timeout says. */
class FollowUpWithoutConnectionTest {

    private static final IdempotencyKey KEY =
            IdempotencyKey.inScope("user:1").operation("operation").value("k");
    private static final Attempt ATTEMPT = Attempt.inScope("user:1").key("k").request("request");
    private static final Duration SETTLE_WITHIN = Duration.ofSeconds(5);

    private final StandingClock clock = new StandingClock();
    private final InMemoryIdempotencyStore memory = new InMemoryIdempotencyStore(clock);
    private Duration timeout = Duration.ofSeconds(30);
    private boolean exhausted;
    private boolean losesCommit;
    private boolean readsToo;
    private boolean readsLost;
    private Iterator<Runnable> atOpen = Collections.emptyIterator();
    private int failuresLeft = Integer.MAX_VALUE;
    private Runnable atFollowUp = () -> exhausted = true;
    private Instant firstFailure;

    private final FaultyMemory store = new FaultyMemory(memory) {
        @Override
        <T> T around(Call call, Supplier<T> made) {
            if (call == Call.OPEN && atOpen.hasNext()) {
                atOpen.next().run();
            }
            readsLost |= call == Call.READ && readsToo;
            if (call == Call.OPEN ? exhausted : call == Call.READ && readsToo) {
                throw noConnection();
            }
            T unanswered = made.get();
            if (call == Call.TRANSACTION && losesCommit) {
                exhausted = true;
                failed();
                throw new StoreException("commit", Fault.CONNECTION_LOST, null);
            }
            return unanswered;
        }
    };

    private StoreException noConnection() {
        clock.now = clock.now.plus(timeout);
        failed();
        exhausted = --failuresLeft > 0;
        return new StoreException("no connection", Fault.CONNECTION_LOST, null);
    }

    private void failed() {
        firstFailure = firstFailure == null ? clock.now : firstFailure;
    }

    private ExternalOperation.Builder<Transaction, String> builder() {
        return Idempotency.builder(store)
                .clock(clock)
                .build()
                .external("operation", ResultCodec.string(), attempt -> Lookup.found("paid"))
                .settleWithin(SETTLE_WITHIN)
                .then((handle, key, result) -> atFollowUp.run());
    }

    /** Each caller that may find out about the effect. The pool is exhausted once the effect is known. */
    enum Caller {
        LEADER {
            @Override
            void call(FollowUpWithoutConnectionTest test) {
                Outcome<String> unused = test.builder().build().execute(ATTEMPT, key -> {
                    test.exhausted = true;
                    return "paid";
                });
            }
        },
        LATE_END {
            @Override
            void call(FollowUpWithoutConnectionTest test) {
                CompletableFuture<String> effect = new CompletableFuture<>();
                CompletableFuture<Outcome<String>> answer = test.builder()
                        .build()
                        .executeAsync(ATTEMPT, key -> effect)
                        .toCompletableFuture();
                test.exhausted = true;
                assertThat(effect.complete("paid")).isTrue();
                Outcome<String> unused = answer.join();
            }
        },
        FOLLOWER {
            @Override
            void call(FollowUpWithoutConnectionTest test) {
                test.leaveUnknown();
                Outcome<String> unused = test.builder().build().execute(ATTEMPT, key -> "never");
            }
        },
        SETTLE {
            @Override
            void call(FollowUpWithoutConnectionTest test) {
                test.leaveUnknown();
                Optional<Outcome<String>> unused = test.builder().build().settle(KEY);
            }
        },
        RESOLVE {
            @Override
            void call(FollowUpWithoutConnectionTest test) {
                test.leaveUnknown();
                Optional<Outcome<String>> unused = test.builder().build().resolveSucceeded(KEY, "paid");
            }
        };

        abstract void call(FollowUpWithoutConnectionTest test);
    }

    /** A leader that died before it could say what became of its effect. */
    private void leaveUnknown() {
        Throwable unused = catchThrowable(() -> builder().build().execute(ATTEMPT, key -> {
            throw new IllegalStateException("the connection to the provider was reset");
        }));
        assertThat(memory.read(KEY).orElseThrow().protocol()).isEqualTo(Protocol.EXTERNAL_THEN);
        exhausted = true;
    }

    private void requireOwedWithin(Caller caller, Duration afterTheFirstFailure) {
        Throwable thrown = catchThrowable(() -> caller.call(this));

        assertThat(thrown instanceof CompletionException ? thrown.getCause() : thrown)
                .isInstanceOfSatisfying(
                        OutcomeUnknownException.class,
                        owed -> assertThat(owed.reason()).isEqualTo(Reason.FOLLOW_UP_OWED));
        assertThat(Duration.between(firstFailure, clock.now)).isLessThanOrEqualTo(afterTheFirstFailure);
        exhausted = false;
        atFollowUp = () -> {};
        assertThat(builder().build().execute(ATTEMPT, key -> "never")).isEqualTo(new Outcome.Healed<>(KEY, "paid"));
    }

    /** One step may exceed the bound, since only the pool bounds it. */
    @ParameterizedTest
    @EnumSource
    void callThatGetsNoConnectionEndsWithinItsBoundAndOneTimeout(Caller caller) {
        requireOwedWithin(caller, SETTLE_WITHIN.plus(timeout));
    }

    @ParameterizedTest
    @EnumSource
    void shortTimeoutsOfThePoolAddUpToTheBound(Caller caller) {
        timeout = Duration.ofSeconds(1);
        requireOwedWithin(caller, SETTLE_WITHIN.plus(timeout));
    }

    /** Another caller has changed the record between two runs, and what it says now cannot be read. */
    @Test
    void readsAfterTheFirstFailureAreWithinTheBoundToo() {
        timeout = Duration.ofSeconds(1);
        atFollowUp = () -> {
            failed();
            atOpen = List.<Runnable>of(() -> {}, this::changeTheToken).iterator();
            throw new StoreException("conflict", Fault.CONFLICT, null);
        };
        Throwable thrown = catchThrowable(() -> builder().build().execute(ATTEMPT, key -> "paid"));

        assertThat(thrown).isInstanceOf(OutcomeUnknownException.class);
        assertThat(readsLost).isTrue();
        assertThat(Duration.between(firstFailure, clock.now)).isLessThanOrEqualTo(SETTLE_WITHIN.plus(timeout));
    }

    private void changeTheToken() {
        UUID token = memory.read(KEY).orElseThrow().token();
        try (Session<Transaction> session = memory.open(KEY)) {
            assertThat(session.<Boolean>autoCommit(steps -> steps.changeProtocol(
                            KEY, token, UUID.randomUUID(), Protocol.FOLLOW_UP_OWED, Optional.empty())))
                    .isTrue();
        }
        readsToo = true;
        clock.now = clock.now.plusSeconds(4);
    }

    /** Another has held the record for a while, and what is known was not stored in time. */
    @Test
    void knownEffectIsNotStoredOnceTheBoundHasPassed() {
        atOpen = List.<Runnable>of(() -> {
                    failed();
                    exhausted = true;
                    throw new StoreException("held", Fault.LOCK_TIMEOUT, null);
                })
                .iterator();
        Throwable thrown = catchThrowable(() -> builder().build().execute(ATTEMPT, key -> "paid"));

        assertThat(thrown).isInstanceOf(OutcomeUnknownException.class);
        assertThat(Duration.between(firstFailure, clock.now)).isLessThanOrEqualTo(SETTLE_WITHIN.plus(timeout));
    }

    /** Another caller locks the record for a while. After that, the known effect is stored without another run. */
    @Test
    void knownEffectIsStoredOnceTheRecordIsFree() {
        atOpen = Collections.<Runnable>nCopies(3, () -> {
                    throw new StoreException("held", Fault.LOCK_TIMEOUT, null);
                })
                .iterator();
        Throwable thrown = catchThrowable(() -> builder().maxRetries(0).build().execute(ATTEMPT, key -> "paid"));

        assertThat(thrown)
                .isInstanceOfSatisfying(
                        OutcomeUnknownException.class,
                        owed -> assertThat(owed.reason()).isEqualTo(Reason.FOLLOW_UP_OWED));
        assertThat(catchThrowable(() -> builder().build().resolveFailed(KEY, new Failure("not-charged", "by hand"))))
                .isInstanceOf(MisuseException.class);
    }

    /** The follow-up has met a conflict, and the pool is exhausted from then on. */
    @Test
    void poolThatIsExhaustedBetweenTwoRunsIsWaitedForWithinTheBound() {
        atFollowUp = () -> {
            exhausted = true;
            failed();
            throw new StoreException("conflict", Fault.CONFLICT, null);
        };
        Throwable thrown = catchThrowable(() -> builder().build().execute(ATTEMPT, key -> "paid"));

        assertThat(thrown).isInstanceOf(OutcomeUnknownException.class);
        assertThat(Duration.between(firstFailure, clock.now)).isLessThanOrEqualTo(SETTLE_WITHIN.plus(timeout));
    }

    /** The follow-up is booked, and nobody says so. */
    @Test
    void commitWithoutAnAnswerIsResolvedWithinTheBound() {
        losesCommit = true;
        atFollowUp = () -> {};
        Throwable thrown = catchThrowable(() -> builder().build().execute(ATTEMPT, key -> "paid"));

        assertThat(thrown).isInstanceOf(OutcomeUnknownException.class);
        assertThat(Duration.between(firstFailure, clock.now)).isLessThanOrEqualTo(SETTLE_WITHIN.plus(timeout));
        exhausted = false;
        assertThat(builder().build().execute(ATTEMPT, key -> "never")).isEqualTo(new Outcome.Replayed<>(KEY, "paid"));
    }

    /** Whatever number of runs the operation allows. */
    @Test
    void followUpThatKeepsConflictingEndsWithinTheBound() {
        atFollowUp = () -> {
            clock.now = clock.now.plusSeconds(2);
            failed();
            throw new StoreException("conflict", Fault.CONFLICT, null);
        };
        Throwable thrown = catchThrowable(() -> builder().maxRetries(10).build().execute(ATTEMPT, key -> "paid"));

        assertThat(thrown).isInstanceOf(OutcomeUnknownException.class);
        assertThat(memory.read(KEY).orElseThrow().protocol()).isEqualTo(Protocol.FOLLOW_UP_OWED);
        assertThat(Duration.between(firstFailure, clock.now))
                .isBetween(SETTLE_WITHIN, SETTLE_WITHIN.plusSeconds(2).plus(Waiting.LONGEST_PAUSE));
    }

    /** The shared bound leaves room for an outage that is shorter. */
    @Test
    void followUpThatGetsAConnectionInTimeIsBooked() {
        timeout = Duration.ofSeconds(1);
        failuresLeft = 3;
        atFollowUp = () -> {};

        assertThat(builder().build().execute(ATTEMPT, key -> {
                    exhausted = true;
                    return "paid";
                }))
                .isEqualTo(new Outcome.Executed<>(KEY, "paid"));
    }
}
