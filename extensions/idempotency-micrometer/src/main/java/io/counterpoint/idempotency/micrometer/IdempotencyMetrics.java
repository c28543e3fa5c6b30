package io.counterpoint.idempotency.micrometer;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts what happens to keys, by operation. No name or tag contains a key's scope or value.
 *
 * <ul>
 *   <li>{@value #EVENTS}: a counter with the tags {@code operation} and {@code event}.
 *   <li>{@value #FAILURES}: a counter of failed attempts with the tags {@code operation} and {@code code}. The code is one
 *       of {@link Failure}'s constants, or {@code other}.
 *   <li>{@value #LEADER_AGE}: a timer with the tag {@code operation}: the age of the leader when a caller had to retry
 *       later.
 *   <li>{@value #COUNTED}: a counter of the calls passed to {@link #counted}, with the tags {@code operation} and
 *       {@code answer}.
 * </ul>
 *
 * <p>All counters of an operation are created at 0 with its first event, so that queries for their increase see the
 * first event of each kind.
 *
 * <p>Thread-safe.
 */
public final class IdempotencyMetrics implements IdempotencyListener {

    /** The name of the counter of events. */
    public static final String EVENTS = "idempotency.events";

    /** The name of the counter of failed attempts. */
    public static final String FAILURES = "idempotency.failures";

    /** The name of the timer of leaders' ages. */
    public static final String LEADER_AGE = "idempotency.leader.age";

    private static final String OTHER = "other";

    /** The tags of events, in the order of {@link IdempotencyEvent}. */
    static final List<String> NAMES = List.of(
            "claimed",
            "succeeded",
            "failed",
            "released",
            "retried",
            "replayed",
            "healed",
            "in_progress",
            "wait_refused",
            "rejected",
            "key_reused",
            "taken_over",
            "commit_unknown",
            "lookup_failed",
            "unresolved",
            "follow_up_owed",
            "work_outlived",
            "after_commit_failed",
            "wrong_results",
            "name_shared",
            "arbitrated_committed",
            "arbitrated_not_committed");

    /** The name of the counter of calls that were counted but not protected. */
    public static final String COUNTED = "idempotency.counted";

    private static final Set<String> CODES = Set.of(
            Failure.ABANDONED,
            Failure.CONSTRAINT,
            Failure.CONFLICT,
            Failure.TIMEOUT,
            Failure.UNAVAILABLE,
            Failure.ERROR);

    private final MeterRegistry registry;
    private final Set<String> begun = ConcurrentHashMap.newKeySet();

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
    public void onEvent(IdempotencyEvent event) {
        String operation = event.key().operation();
        if (begun.add(operation)) {
            NAMES.forEach(name -> events(operation, name));
            CODES.forEach(code -> failures(operation, code));
            failures(operation, OTHER);
        }
        events(operation, nameOf(event)).increment();
        if (event instanceof IdempotencyEvent.Failed failed) {
            String code = failed.failure().code();
            failures(operation, CODES.contains(code) ? code : OTHER).increment();
        } else if (event instanceof IdempotencyEvent.InProgress waiting) {
            Timer.builder(LEADER_AGE)
                    .description("The time since the leader's last change, for calls that found the key in progress")
                    .tag("operation", operation)
                    .register(registry)
                    .record(waiting.age());
        }
    }

    /**
     * Counts an unprotected call in {@value #COUNTED}, with the tags {@code operation} and {@code answer}.
     *
     * @param operation the operation's name
     * @param answer the outcome that the operation would have had, such as {@code replayed}
     */
    public void counted(String operation, String answer) {
        Counter.builder(COUNTED)
                .description("What protected operations would have returned; nothing was protected")
                .tag("operation", operation)
                .tag("answer", answer)
                .register(registry)
                .increment();
    }

    private static String nameOf(IdempotencyEvent event) {
        if (event instanceof IdempotencyEvent.Arbitrated arbitrated) {
            return arbitrated.committed() ? "arbitrated_committed" : "arbitrated_not_committed";
        }
        return event.name();
    }

    private Counter events(String operation, String event) {
        return Counter.builder(EVENTS)
                .description("What happened to idempotency keys")
                .tag("operation", operation)
                .tag("event", event)
                .register(registry);
    }

    private Counter failures(String operation, String code) {
        return Counter.builder(FAILURES)
                .description("Attempts that failed permanently")
                .tag("operation", operation)
                .tag("code", code)
                .register(registry);
    }
}
