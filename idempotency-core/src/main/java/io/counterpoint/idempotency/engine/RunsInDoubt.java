package io.counterpoint.idempotency.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The runs of a call whose commits were not answered, by their tokens: another run's record says nothing about them. At
 * most one of them is committed. A commit that carried its record can arrive as long as the key has no record.
 */
final class RunsInDoubt<R> {

    private Map<UUID, R> results = Map.of();
    private boolean mayArriveLate;

    /** When the first of them began. */
    private @Nullable Instant begun;

    /** Its record was inserted before. A claim waits for it where locks are global. */
    void claimed(UUID token, R result, Instant runBegun) {
        begun = begun == null ? runBegun : begun;
        results = new HashMap<>(results);
        results.put(token, result);
    }

    /** Its record was on its way with the commit. Nothing waits for it before it arrives. */
    void unclaimed(UUID token, R result, Instant runBegun) {
        claimed(token, result, runBegun);
        mayArriveLate = true;
    }

    /** A claim has waited for the run, and has found nothing. */
    void rolledBack() {
        results = Map.of();
        begun = null;
    }

    /** Whether the record of one of them may be purged by now: then its absence proves nothing. */
    boolean mayBePurged(Waiting waiting, Duration retention) {
        return begun != null && waiting.hasPassed(retention, begun);
    }

    /** What a run has returned, if its commit is in doubt. */
    Optional<R> resultOf(UUID token) {
        return Optional.ofNullable(results.get(token));
    }

    /** Whether an effect can arrive after this call, if the key has no record: nothing may be released from now on. */
    boolean mayArriveLate() {
        return mayArriveLate;
    }
}
