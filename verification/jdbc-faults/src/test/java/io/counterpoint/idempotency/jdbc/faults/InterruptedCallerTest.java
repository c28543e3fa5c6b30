package io.counterpoint.idempotency.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.testing.Cut;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A thread that is interrupted while it waits for the server's answer. A platform thread goes on waiting; a virtual one
 * loses its connection, whatever the server makes of the statement. Either way the call ends with an exact answer, and its
 * thread is still interrupted.
 */
@Tag("thorough")
@Timeout(60)
class InterruptedCallerTest {

    private static Bench bench;

    @BeforeAll
    static void open() {
        bench = Bench.shared();
    }

    @AfterEach
    void heal() {
        bench.proxy.heal();
        bench.awaitVictimsGone();
    }

    @AfterAll
    static void close() {
        bench.close();
    }

    enum Kind {
        PLATFORM,
        VIRTUAL;

        /** The kinds of thread that this Java has. */
        static List<Kind> available() {
            try {
                Thread.class.getMethod("ofVirtual");
                return List.of(PLATFORM, VIRTUAL);
            } catch (NoSuchMethodException olderJava) {
                return List.of(PLATFORM);
            }
        }

        Thread start(Runnable action) {
            if (this == PLATFORM) {
                Thread thread = new Thread(action, "interrupted");
                thread.start();
                return thread;
            }
            try {
                // By name: this is compiled for a Java that has none.
                return (Thread) Thread.class
                        .getMethod("startVirtualThread", Runnable.class)
                        .invoke(null, action);
            } catch (ReflectiveOperationException e) {
                throw new LinkageError(e.getMessage(), e);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void interruptAtTheClaimChangesNothing(Kind kind, ProtocolVariant way) {
        Trial trial = bench.trial(way);
        assertThat(interruptedAt(
                        Step.CLAIM,
                        kind,
                        () -> trial.call(doing -> {
                            assertThat(Thread.interrupted())
                                    .as("seen by the work")
                                    .isTrue();
                            doing.write();
                            Thread.currentThread().interrupt();
                        })))
                .isInstanceOf(Outcome.Executed.class);
        trial.hasRun(1).succeededOnce();
    }

    /**
     * An interrupt closes the connection of a virtual thread under each statement whose answer it has to wait for. The hold
     * makes it wait for the answer to its write.
     */
    @ParameterizedTest
    @MethodSource("inDatabase")
    void workThatIsLostToAnInterruptIsRunAgainWithoutIt(Kind kind, ProtocolVariant way) {
        Trial trial = bench.trial(way).onDoubt(bench.proxy::heal);
        CountDownLatch healed = new CountDownLatch(1);
        AtomicInteger runs = new AtomicInteger();
        assertThat(interruptedAt(
                        Step.CLAIM,
                        kind,
                        () -> trial.call(doing -> {
                            awaitUninterruptibly(healed);
                            if (kind == Kind.VIRTUAL && runs.getAndIncrement() == 0) {
                                bench.cut(Step.DOMAIN, Cut.HOLD);
                            }
                            doing.write();
                        }),
                        healed::countDown))
                .isInstanceOf(Outcome.Executed.class);
        trial.hasRun(kind == Kind.VIRTUAL ? 2 : 1).succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("inDatabase")
    void interruptInTheWorkThatIsNotThrownLetsItSucceed(Kind kind, ProtocolVariant way) {
        Trial trial = bench.trial(way);
        assertThat(interruptedAt(Step.DOMAIN, kind, () -> trial.call())).isInstanceOf(Outcome.Executed.class);
        trial.succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("marked")
    void interruptAtTheMarkChangesNothing(Kind kind, ProtocolVariant way) {
        Trial trial = bench.trial(way);
        assertThat(interruptedAt(Step.MARK, kind, () -> trial.call())).isInstanceOf(Outcome.Executed.class);
        trial.succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("inDatabase")
    void interruptAtTheCommitIsResolved(Kind kind, ProtocolVariant way) {
        Trial trial = bench.trial(way);
        assertThat(interruptedAt(Step.COMMIT, kind, () -> trial.call())).isInstanceOf(Outcome.Executed.class);
        trial.succeededOnce();
    }

    @ParameterizedTest
    @MethodSource("inDatabase")
    void interruptAtTheFailureIsRecordedAllTheSame(Kind kind, ProtocolVariant way) {
        Trial trial = bench.trial(way);
        InterruptedException thrown = new InterruptedException("stop");
        assertThat(interruptedAt(
                        Step.failOf(way),
                        kind,
                        () -> trial.thrown(doing -> {
                            doing.write();
                            throw thrown;
                        })))
                .isSameAs(thrown);
        trial.hasRun(1).failed();
    }

    /** On a virtual thread the answer to the heal is lost. A call that then finds the record healed replays it. */
    @ParameterizedTest
    @MethodSource("claimedFirst")
    void interruptAtTheHealIsHealedNowOrByTheNextCall(Kind kind, ProtocolVariant way) {
        Trial trial = bench.trial(way).plantEffectBehindPending();
        assertThat(interruptedAt(Step.HEAL, kind, () -> trial.callToHeal()))
                .isInstanceOfAny(Outcome.Healed.class, Outcome.Replayed.class);
        bench.awaitVictimsGone();
        if (trial.state().equals("P")) {
            trial.leftPendingWithEffect();
        } else {
            trial.succeededOnce();
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void interruptInAnExternalEffectThatIsThrownIsUnknown(Kind kind) {
        Trial trial = bench.trial(ProtocolVariant.EXTERNAL);
        Trial.unknown(interruptedAt(
                Step.CLAIM,
                kind,
                () -> trial.thrown(doing -> {
                    if (Thread.interrupted()) {
                        throw new InterruptedException("stop");
                    }
                })));
        trial.hasRun(1).leftPendingWithoutEffect();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void interruptAtTheExternalMarkIsMarkedAllTheSame(Kind kind) {
        Trial trial = bench.trial(ProtocolVariant.EXTERNAL);
        assertThat(interruptedAt(Step.MARK, kind, () -> trial.call())).isInstanceOf(Outcome.Executed.class);
        trial.hasRun(1).succeededOnce();
    }

    /** Calls on a thread of that kind, which is interrupted when the statement is on its way. */
    private static <T> T interruptedAt(Step step, Kind kind, Callable<T> call) {
        return interruptedAt(step, kind, call, () -> {});
    }

    private static <T> T interruptedAt(Step step, Kind kind, Callable<T> call, Runnable onceHealed) {
        AtomicBoolean stayedInterrupted = new AtomicBoolean();
        FutureTask<T> task = new FutureTask<>(() -> {
            T answer = call.call();
            stayedInterrupted.set(Thread.interrupted());
            return answer;
        });
        bench.cut(step, Cut.HOLD);
        Thread caller = kind.start(task);
        bench.awaitCut();
        caller.interrupt();
        bench.proxy.heal();
        onceHealed.run();
        T answer = Bench.end(task);
        assertThat(stayedInterrupted).as("interrupted afterwards").isTrue();
        return answer;
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean interrupted = Thread.interrupted();
        try {
            assertThat(latch.await(Bench.BOUND.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    static Stream<Kind> kinds() {
        return Kind.available().stream();
    }

    static Stream<Arguments> everywhere() {
        return kindsAnd(Stream.of(ProtocolVariant.values()));
    }

    static Stream<Arguments> inDatabase() {
        return kindsAnd(ProtocolVariant.inDatabase().stream());
    }

    static Stream<Arguments> marked() {
        return kindsAnd(ProtocolVariant.marked().stream());
    }

    static Stream<Arguments> claimedFirst() {
        return kindsAnd(ProtocolVariant.claimedFirst().stream());
    }

    private static Stream<Arguments> kindsAnd(Stream<ProtocolVariant> ways) {
        return ways.flatMap(way -> kinds().map(kind -> Arguments.of(kind, way)));
    }
}
