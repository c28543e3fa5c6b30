package io.counterpoint.idempotency.micrometer;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyException.OutcomeUnknownException;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.IdempotencyListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;

/**
 * Counts what happens to keys, by operation. A key's scope and value are in no name and no tag.
 *
 * <ul>
 *   <li>{@value #EVENTS}: a counter with the tags {@code operation} and {@code event}.
 *   <li>{@value #FAILURES}: a counter of failed attempts with the tags {@code operation} and {@code code}. The code is one
 *       of {@link Failure}'s constants, or {@code other}.
 *   <li>{@value #LEADER_AGE}: a timer with the tag {@code operation}: how old the leader was, where a caller had to
 *       come back.
 * </ul>
 *
 * <p>Safe for concurrent use.
 */
public final class IdempotencyMetrics implements IdempotencyListener {

    /** The name of the counter of events. */
    public static final String EVENTS = "idempotency.events";

    /** The name of the counter of failed attempts. */
    public static final String FAILURES = "idempotency.failures";

    /** The name of the timer of leaders' ages. */
    public static final String LEADER_AGE = "idempotency.leader.age";

    private static final Set<String> CODES = Set.of(
            Failure.ABANDONED,
            Failure.CONSTRAINT,
            Failure.CONFLICT,
            Failure.TIMEOUT,
            Failure.UNAVAILABLE,
            Failure.ERROR);

    private final MeterRegistry registry;

    private IdempotencyMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    /**
     * Returns a listener that counts in a registry.
     *
     * @param registry the registry
     * @return the listener, for {@code Idempotency.builder(store).listener(…)}
     */
    public static IdempotencyMetrics in(MeterRegistry registry) {
        return new IdempotencyMetrics(Objects.requireNonNull(registry, "registry"));
    }

    @Override
    public void claimed(IdempotencyKey key) {
        count(key, "claimed");
    }

    @Override
    public void succeeded(IdempotencyKey key) {
        count(key, "succeeded");
    }

    @Override
    public void failed(IdempotencyKey key, Failure failure) {
        count(key, "failed");
        Counter.builder(FAILURES)
                .description("Attempts that failed for good")
                .tag("operation", key.operation())
                .tag("code", CODES.contains(failure.code()) ? failure.code() : "other")
                .register(registry)
                .increment();
    }

    @Override
    public void released(IdempotencyKey key) {
        count(key, "released");
    }

    @Override
    public void runAgain(IdempotencyKey key, Throwable cause) {
        count(key, "run_again");
    }

    @Override
    public void replayed(IdempotencyKey key) {
        count(key, "replayed");
    }

    @Override
    public void healed(IdempotencyKey key) {
        count(key, "healed");
    }

    @Override
    public void inProgress(IdempotencyKey key, Duration age) {
        count(key, "in_progress");
        Timer.builder(LEADER_AGE)
                .description("The time since the leader's last change, where a caller had to come back")
                .tag("operation", key.operation())
                .register(registry)
                .record(age);
    }

    @Override
    public void rejected(IdempotencyKey key, Failure failure) {
        count(key, "rejected");
    }

    @Override
    public void keyReused(IdempotencyKey key) {
        count(key, "key_reused");
    }

    @Override
    public void takenOver(IdempotencyKey key) {
        count(key, "taken_over");
    }

    @Override
    public void commitUnknown(IdempotencyKey key, Throwable cause) {
        count(key, "commit_unknown");
    }

    @Override
    public void arbitrated(IdempotencyKey key, boolean committed) {
        count(key, committed ? "arbitrated_committed" : "arbitrated_not_committed");
    }

    @Override
    public void afterCommitFailed(IdempotencyKey key, Throwable thrown) {
        count(key, "after_commit_failed");
    }

    @Override
    public void workOutlived(IdempotencyKey key) {
        count(key, "work_outlived");
    }

    @Override
    public void unresolved(IdempotencyKey key, OutcomeUnknownException told) {
        count(key, "unresolved");
    }

    private void count(IdempotencyKey key, String event) {
        Counter.builder(EVENTS)
                .description("What happened to idempotency keys")
                .tag("operation", key.operation())
                .tag("event", event)
                .register(registry)
                .increment();
    }
}
