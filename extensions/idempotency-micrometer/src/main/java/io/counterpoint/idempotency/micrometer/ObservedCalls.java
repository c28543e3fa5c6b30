package io.counterpoint.idempotency.micrometer;

import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * Observes calls: a timer and a span for each, if the observation registry has handlers for them.
 *
 * <p>The observation {@value #CALL} has three tags. {@code operation} is its name. {@code outcome} is {@code executed},
 * {@code replayed}, {@code healed}, {@code in_progress}, {@code rejected}, {@code key_reused}, {@code not_started},
 * {@code unknown} or {@code error}. {@code waited} is {@code true} where the call paused for a leader or before another
 * run. A key's scope and value are in no tag.
 *
 * <p>A span also has {@value #KEY}, the key as messages show it: the operation and a digest. All calls for one key have the
 * same, so the span of a replay leads to that of the first execution. A call whose work threw does not have it.
 *
 * <p>Pauses are seen through {@link #clock()} only, and waits for a lock of the database are not.
 *
 * <p>Safe for concurrent use.
 */
public final class ObservedCalls {

    /** The name of the observation of a call. */
    public static final String CALL = "idempotency.call";

    /** The name of a span's tag that is the same for all calls of a key. No meter has it. */
    public static final String KEY = "idempotency.key";

    private final ObservationRegistry registry;

    private ObservedCalls(ObservationRegistry registry) {
        this.registry = registry;
    }

    /**
     * Returns an observer of calls.
     *
     * @param registry the registry, with the handlers that the application wants
     * @return the observer
     */
    public static ObservedCalls in(ObservationRegistry registry) {
        return new ObservedCalls(Objects.requireNonNull(registry, "registry"));
    }

    /**
     * Makes a call, and observes it.
     *
     * @param <R> the type of the result
     * @param <X> what the work throws
     * @param operation the operation's name
     * @param call executes the operation: {@code () -> pay.execute(attempt, work)}
     * @return what the call returned
     * @throws X if the work throws
     */
    @SuppressWarnings("try") // the scope is held, not used
    public <R, X extends Exception> Outcome<R> observe(String operation, Call<R, X> call) throws X {
        var context = new CallContext();
        Observation observation = Observation.createNotStarted(CALL, () -> context, registry)
                .contextualName(CALL + " " + operation)
                .lowCardinalityKeyValue("operation", operation)
                .start();
        String ended = "error";
        try (Observation.Scope scope = observation.openScope()) {
            Outcome<R> outcome = call.run();
            ended = nameOf(outcome);
            observation.highCardinalityKeyValue(KEY, outcome.key().toString());
            return outcome;
        } catch (IdempotencyException thrown) {
            ended = nameOf(thrown);
            observation.highCardinalityKeyValue(KEY, thrown.key().toString());
            observation.error(thrown);
            throw thrown;
        } catch (Throwable thrown) {
            observation.error(thrown);
            throw thrown;
        } finally {
            observation
                    .lowCardinalityKeyValues(KeyValues.of("outcome", ended, "waited", Boolean.toString(context.waited)))
                    .stop();
        }
    }

    /**
     * Returns the machine's clock, which tells the observation of a call that it pauses.
     *
     * @return the clock, for {@code Idempotency.builder(store).clock(…)}
     */
    public IdempotencyClock clock() {
        return clock(IdempotencyClock.system());
    }

    /**
     * Returns a clock, which tells the observation of a call that it pauses.
     *
     * @param clock the clock that it forwards to
     * @return the clock, for {@code Idempotency.builder(store).clock(…)}
     */
    public IdempotencyClock clock(IdempotencyClock clock) {
        return new IdempotencyClock() {
            @Override
            public Instant now() {
                return clock.now();
            }

            @Override
            public Instant wallTime() {
                return clock.wallTime();
            }

            @Override
            public void sleep(Duration pause) throws InterruptedException {
                Observation current = registry.getCurrentObservation();
                if (current != null && current.getContextView() instanceof CallContext context) {
                    context.waited = true;
                }
                clock.sleep(pause);
            }
        };
    }

    private static String nameOf(Outcome<?> outcome) {
        if (outcome instanceof Outcome.Executed) {
            return "executed";
        } else if (outcome instanceof Outcome.Replayed) {
            return "replayed";
        } else if (outcome instanceof Outcome.Healed) {
            return "healed";
        } else if (outcome instanceof Outcome.InProgress) {
            return "in_progress";
        } else if (outcome instanceof Outcome.Rejected) {
            return "rejected";
        }
        return "key_reused";
    }

    private static String nameOf(IdempotencyException thrown) {
        if (thrown instanceof NotStartedException) {
            return "not_started";
        }
        return thrown instanceof OutcomeUnknownException ? "unknown" : "error";
    }

    /**
     * A call of an operation.
     *
     * @param <R> the type of the result
     * @param <X> what the work throws
     */
    @FunctionalInterface
    public interface Call<R, X extends Exception> {
        /**
         * Executes the operation.
         *
         * @return its outcome
         * @throws X if the work throws
         */
        Outcome<R> run() throws X;
    }

    private static final class CallContext extends Observation.Context {
        /** Written and read by the thread of the call. */
        private boolean waited;
    }
}
