package io.counterpoint.idempotency.micrometer;

import io.counterpoint.idempotency.CallObserver;
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
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Observes calls: records a timer and a span for each if the observation registry has handlers for them.
 *
 * <p>The observation {@value #CALL} has three tags. {@code operation} is the operation's name. {@code outcome} is
 * {@code executed}, {@code replayed}, {@code healed}, {@code in_progress}, {@code rejected}, {@code key_reused}, {@code
 * not_started}, {@code unknown} or {@code error}. {@code waited} is {@code true} if the call paused for a leader or
 * before another run. No tag contains a key's scope or value.
 *
 * <p>A span also has {@value #KEY}, the key as shown in messages: the operation and a digest. It is the same for all
 * calls with one key, so the span of a replay leads to that of the first execution. A call whose work threw does not
 * have it.
 *
 * <p>Waits for database locks are included in the time but not in {@code waited}.
 *
 * <p>Set it with {@code Idempotency.builder(store).observer(…)}. Thread-safe.
 */
public final class ObservedCalls implements CallObserver {

    /** The name of the observation of a call. */
    public static final String CALL = "idempotency.call";

    /** The name of the span tag that is the same for all calls with a key. Meters do not have it. */
    public static final String KEY = "idempotency.key";

    private final ObservationRegistry registry;

    private ObservedCalls(ObservationRegistry registry) {
        this.registry = registry;
    }

    /**
     * Returns an observer of calls.
     *
     * @param registry the registry, with the application's handlers
     * @return the observer
     */
    public static ObservedCalls in(ObservationRegistry registry) {
        return new ObservedCalls(Objects.requireNonNull(registry, "registry"));
    }

    @Override
    @SuppressWarnings("try") // the scope is held, not used
    public void observe(String operation, Supplier<? extends Outcome<?>> call) {
        Observed observed = new Observed(operation);
        Outcome<?> outcome;
        try (Observation.Scope scope = observed.observation.openScope()) {
            outcome = call.get();
        } catch (Throwable thrown) {
            observed.ended(thrown);
            throw thrown;
        }
        observed.ended(outcome);
    }

    @Override
    @SuppressWarnings("try") // the scope is held, not used
    public void observeAsync(String operation, Supplier<? extends CompletionStage<? extends Outcome<?>>> call) {
        Observed observed = new Observed(operation);
        CompletionStage<? extends Outcome<?>> stage;
        try (Observation.Scope scope = observed.observation.openScope()) {
            stage = call.get();
        } catch (Throwable thrown) {
            observed.ended(thrown);
            throw thrown;
        }
        Object unused = stage.whenComplete((outcome, thrown) -> {
            if (thrown == null) {
                observed.ended(outcome);
            } else {
                observed.ended(thrown);
            }
        });
    }

    @Override
    public IdempotencyClock observing(IdempotencyClock clock) {
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

    /** A call that is observed until it ends. */
    private final class Observed {
        private final CallContext context = new CallContext();
        private final Observation observation;

        Observed(String operation) {
            observation = Observation.createNotStarted(CALL, () -> context, registry)
                    .contextualName(CALL + " " + operation)
                    .lowCardinalityKeyValue("operation", operation)
                    .start();
        }

        void ended(Outcome<?> outcome) {
            observation.highCardinalityKeyValue(KEY, outcome.key().toString());
            stop(nameOf(outcome));
        }

        void ended(Throwable thrown) {
            observation.error(thrown);
            if (thrown instanceof IdempotencyException ours) {
                observation.highCardinalityKeyValue(KEY, ours.key().toString());
                stop(nameOf(ours));
            } else {
                stop("error");
            }
        }

        private void stop(String outcome) {
            observation
                    .lowCardinalityKeyValues(
                            KeyValues.of("outcome", outcome, "waited", Boolean.toString(context.waited)))
                    .stop();
        }
    }

    private static final class CallContext extends Observation.Context {
        /** Written before the call ends, by the thread that pauses. */
        private volatile boolean waited;
    }
}
