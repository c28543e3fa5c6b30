package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.IdempotencyClock;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * What a comparison compares, and how. Its runs, repairs and reports share it.
 *
 * @param name its name in reports and in the journal
 * @param sides both sources
 * @param comparer decides whether two rows are the same
 * @param journal where progress and findings are written down
 * @param pageSize how many rows are read at once from each side
 * @param minimumAge for how long rows are left alone before their difference is confirmed
 * @param maxSuspects how many differences wait at most
 * @param clock the clock that waits for the minimum age
 * @param progress the listener
 */
record ComparisonSettings<K>(
        String name,
        Sides<K> sides,
        RowComparer<K> comparer,
        Journal journal,
        int pageSize,
        Duration minimumAge,
        int maxSuspects,
        IdempotencyClock clock,
        Consumer<? super ComparisonProgress> progress) {

    Suspects<K> newSuspects() {
        return new Suspects<>(sides, comparer, clock, minimumAge, maxSuspects);
    }

    Pace newPace() {
        return new Pace(name, clock, progress);
    }

    /** Refuses columns that would be passed over in silence. */
    void requireAllColumnsListed() {
        for (Side side : Side.values()) {
            List<String> unlisted = sides.unlisted(side).stream()
                    .filter(column -> comparer.ignored().stream().noneMatch(column::equalsIgnoreCase))
                    .toList();
            if (!unlisted.isEmpty()) {
                throw new UnlistedColumnsException(name, side, unlisted);
            }
        }
    }

    /** The side as what a repair writes to, or a refusal. */
    RepairTarget<K> target(Side side) {
        Source<K> source = sides.source(side);
        if (!(source instanceof RepairTarget<?>)) {
            throw new IllegalArgumentException("The " + side + " source of comparison '" + name + "' cannot be"
                    + " repaired: it is a " + source.getClass().getName() + ", which does not implement RepairTarget.");
        }
        // A source's own keys are the keys that it is written with.
        @SuppressWarnings("unchecked")
        RepairTarget<K> written = (RepairTarget<K>) source;
        List<String> unwritable = comparer.canonical().stream()
                .filter(field -> !written.writes(field))
                .toList();
        if (!unwritable.isEmpty()) {
            throw new IllegalArgumentException("The " + side + " source of comparison '" + name + "' cannot be"
                    + " repaired: " + unwritable + " are compared in a canonical form, but how to write them is not"
                    + " declared. Declare each in SqlTable as field(name, read, column, written), with \"?\" if it is"
                    + " stored as on the other side.");
        }
        return written;
    }

    /** Findings of the latest run, with their keys. */
    List<Finding<K>> findings(long skip, int limit) {
        return journal.findings(name, skip, limit).stream()
                .map(finding -> finding.<K>withKey(sides.order()::parse))
                .toList();
    }
}
