package io.counterpoint.idempotency.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** One call for a key of its own whose work can be held, and what its caller got. */
final class WaitingCall {

    private static final AtomicInteger NUMBERS = new AtomicInteger();
    private static final String LOCAL = "&options=-c%20synchronous_commit=local";
    private static final String WITHOUT_WARNINGS = "&options=-c%20client_min_messages=error";

    /** What the work does. */
    enum Ending {
        SUCCESS,
        FAILURE,
        RELEASE
    }

    final String name;
    final ProtocolVariant way;
    final Ending ending;
    private final String commit;
    private final Jdbi direct;
    private final Idempotency<Handle> process;
    private final CountDownLatch inWork = new CountDownLatch(1);
    private final CountDownLatch workGoesOn = new CountDownLatch(1);
    private final AtomicInteger runs = new AtomicInteger();
    private final List<String> externalEffects = new CopyOnWriteArrayList<>();
    private final Refusal refusal = new Refusal();
    private Duration settleWithin = Duration.ofSeconds(5);
    private Optional<Future<Object>> begun = Optional.empty();

    /**
     * @param commit the default of {@code synchronous_commit} that the caller's sessions have; "silent": {@code on}, and
     *     they ask for no warnings
     */
    WaitingCall(ReplicatedBench bench, ProtocolVariant way, Ending ending, String commit) {
        this.name = "call-" + NUMBERS.incrementAndGet();
        this.way = way;
        this.ending = ending;
        this.commit = commit;
        this.direct = bench.direct;
        this.process = Idempotency.on(JdbiIdempotencyStore.on(bench.caller(
                name,
                switch (commit) {
                    case "local" -> LOCAL;
                    case "silent" -> WITHOUT_WARNINGS;
                    default -> "";
                })));
    }

    private static final class Refusal extends Exception {
        private static final long serialVersionUID = 1L;
    }

    WaitingCall settleWithin(Duration bound) {
        settleWithin = bound;
        return this;
    }

    WaitingCall begin() {
        begun = Optional.of(Bench.begin(() -> answerOf(process)));
        return this;
    }

    /** What a caller gets: an outcome, or what is thrown. */
    private Object answerOf(Idempotency<Handle> asked) {
        try {
            return call(asked);
        } catch (Exception thrown) {
            return thrown;
        }
    }

    /** Asks again, in the process that has asked before. */
    Object askAgain() {
        return answerOf(process);
    }

    private Outcome<String> call(Idempotency<Handle> asked) throws Refusal {
        Attempt attempt = Attempt.inScope("user:1").key(name).request("request");
        if (way == ProtocolVariant.EXTERNAL) {
            return asked.external(
                            "operate",
                            ResultCodec.string(),
                            unresolved -> Lookup.of(externalEffects.stream().findFirst()))
                    .noEffectWhen(thrown -> thrown instanceof Refusal && ending == Ending.FAILURE)
                    .releaseWhenNoEffect(thrown -> thrown instanceof Refusal && ending == Ending.RELEASE)
                    .settleWithin(settleWithin)
                    .build()
                    .execute(attempt, key -> {
                        work(() -> externalEffects.add(name));
                        return name;
                    });
        }
        Operation.Builder<Handle, String> builder = asked.operation("operate", ResultCodec.string())
                .settleWithin(settleWithin)
                .releaseOn(thrown -> thrown instanceof Refusal && ending == Ending.RELEASE);
        if (way.single()) {
            builder.protocol(Operation.Protocol.SINGLE_TRANSACTION);
        } else if (asked != process) {
            builder.whenAbandoned(Operation.Abandoned.FAIL, Duration.ofNanos(1));
        }
        return way.planned()
                ? builder.planned()
                        .build()
                        .execute(attempt, () -> name, (handle, plan) -> work(() -> Effects.write(handle, name)))
                : builder.build().execute(attempt, handle -> {
                    work(() -> Effects.write(handle, name));
                    return name;
                });
    }

    private void work(Runnable effect) throws Refusal {
        runs.incrementAndGet();
        inWork.countDown();
        await(workGoesOn);
        if (way != ProtocolVariant.EXTERNAL || ending == Ending.SUCCESS) {
            effect.run();
        }
        if (ending != Ending.SUCCESS) {
            throw refusal;
        }
    }

    void awaitWork() {
        await(inWork);
    }

    void letWorkGoOn() {
        workGoesOn.countDown();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(Bench.BOUND.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    boolean hasEnded() {
        return begun.orElseThrow().isDone();
    }

    Object answer() {
        return Bench.end(begun.orElseThrow());
    }

    /** Whether one of its commits waits for the standby, if the log is held back now. */
    boolean commitsDurably(boolean beforeTheCall) {
        // A single transaction that is released has never written anything that is committed.
        return (way == ProtocolVariant.EXTERNAL && beforeTheCall) || ending != Ending.RELEASE || !way.single();
    }

    int runs() {
        return runs.get();
    }

    /** The record's state in the primary of the moment: P, S, F, or - where there is none. */
    String state() {
        return direct.withHandle(
                handle -> handle.createQuery("SELECT state FROM idempotency_record WHERE key_value = :key")
                        .bind("key", name)
                        .mapTo(String.class)
                        .findOne()
                        .orElse("-"));
    }

    int effects() {
        return way == ProtocolVariant.EXTERNAL
                ? externalEffects.size()
                : direct.withHandle(handle -> handle.createQuery("SELECT count(*) FROM effect WHERE id = :key")
                        .bind("key", name)
                        .mapTo(Integer.class)
                        .one());
    }

    /** Adds the answer if it does not hold in the primary of the moment. */
    void findLost(List<String> lost) {
        Object returned = answer();
        String state = state();
        int effects = effects();
        boolean stands;
        if (returned instanceof OutcomeUnknownException
                || returned instanceof NotStartedException
                || returned instanceof Outcome.InProgress) {
            stands = effects <= 1;
        } else if (returned == refusal) {
            stands = effects == 0 && state.equals(ending == Ending.FAILURE ? "F" : "-");
        } else if (returned instanceof Outcome.Rejected) {
            stands = effects == 0 && state.equals("F");
        } else if (returned instanceof Outcome.Completed) {
            // A call that finds the record finds its external effect.
            stands = effects == 1
                    && (way == ProtocolVariant.EXTERNAL ? !state.equals("-") && !state.equals("F") : state.equals("S"));
        } else {
            stands = false;
        }
        if (!stands) {
            lost.add(this + ": the caller got " + returned + "; there is the record " + state + " and " + effects
                    + " effects, after " + runs + " runs");
        }
        if (way == ProtocolVariant.EXTERNAL && effects > 0 && state.equals("-")) {
            lost.add(this + ": an external effect began on a claim that is gone");
        }
    }

    /** What another process gets that asks for the key. */
    Object askFrom(Jdbi another) {
        return askFrom(another, false);
    }

    Object askFrom(Jdbi another, boolean durably) {
        return answerOf(Idempotency.on(JdbiIdempotencyStore.on(another).toBuilder()
                .durableReplays(durably)
                .build()));
    }

    /** Asks from another process, and adds an answer that contradicts the first one. */
    void findContradicted(Jdbi found, List<String> lost) {
        Object returned = answer();
        Object again = askFrom(found);
        int effects = effects();
        boolean agrees;
        if (returned instanceof Outcome.Completed) {
            agrees = again instanceof Outcome.Completed<?> completed
                    && completed.result().equals(name)
                    && effects == 1;
        } else if (returned == refusal && ending == Ending.FAILURE) {
            agrees = again instanceof Outcome.Rejected && effects == 0;
        } else {
            agrees = effects <= 1 && (effects == 0 || again instanceof Outcome.Completed);
        }
        if (!agrees) {
            lost.add(
                    this + ": the caller got " + returned + ", and a retry " + again + " with " + effects + " effects");
        }
    }

    @Override
    public String toString() {
        return name + " " + way + " " + ending + " under synchronous_commit=" + commit;
    }
}
