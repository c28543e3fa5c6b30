package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.IdempotencyClock;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * What a comparison compares, and how. Shared by its runs, repairs and reports.
 *
 * @param name its name in reports and in the journal
 * @param sides both sources
 * @param comparer decides whether two rows are the same
 * @param journal records progress and findings
 * @param pageSize the number of rows read at once from each side
 * @param minimumAge how long rows must be unchanged before their difference is confirmed
 * @param maxSuspects the maximum number of waiting differences
 * @param clock measures the minimum age
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

    /** Rejects columns that would be silently skipped. */
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

    /** Returns the side as the target of a repair, or throws. */
    RepairTarget<K> target(Side side) {
        Source<K> source = sides.source(side);
        if (!(source instanceof RepairTarget<?>)) {
            throw new IllegalArgumentException("The " + side + " source of comparison '" + name + "' cannot be"
                    + " repaired: it is a " + source.getClass().getName() + ", which does not implement RepairTarget.");
        }
        // A source is written with the same keys that it is read with.
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

    /** Returns findings of the latest run, with their keys. */
    List<Finding<K>> findings(long skip, int limit) {
        return journal.findings(name, skip, limit).stream()
                .map(finding -> finding.<K>withKey(sides.order()::parse))
                .toList();
    }
}
