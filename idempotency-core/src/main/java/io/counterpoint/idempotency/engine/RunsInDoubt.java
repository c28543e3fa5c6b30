package io.counterpoint.idempotency.engine;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The runs of a call whose commits were not answered, by their tokens: another run's record says nothing about them. At
 * most one of them is committed. A commit that carried its record can arrive as long as the key has no record.
 */
final class RunsInDoubt<R> {

    private Map<UUID, R> results = Map.of();
    private boolean mayArriveLate;

    /** Its record was inserted before. A claim waits for it where locks are global. */
    void claimed(UUID token, R result) {
        results = new HashMap<>(results);
        results.put(token, result);
    }

    /** Its record was on its way with the commit. Nothing waits for it before it arrives. */
    void unclaimed(UUID token, R result) {
        claimed(token, result);
        mayArriveLate = true;
    }

    /** A claim has waited for the run, and has found nothing. */
    void rolledBack() {
        results = Map.of();
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
