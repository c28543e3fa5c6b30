package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.IdempotencyClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Differences that were seen but are not confirmed yet. Each is read again when it is old enough. If both rows are the
 * same as before, it is confirmed, because both were unchanged for the minimum age, which is longer than any write in
 * flight. If the rows changed but still differ, its age restarts. If they no longer differ, it is dismissed.
 *
 * <p>Suspects leave in the order in which they arrived, which is key order, so that a mark can state that everything up
 * to it is done.
 */
final class Suspects<K> {

    static final int BATCH = 500;
    private static final int MOST_LOOKS = 10;

    private final Sides<K> sides;
    private final RowComparer<K> comparer;
    private final IdempotencyClock clock;
    private final Duration minimumAge;
    private final int capacity;
    private final ArrayDeque<Suspect<K>> inOrder = new ArrayDeque<>();
    private final ArrayDeque<Suspect<K>> byTime = new ArrayDeque<>();

    Suspects(Sides<K> sides, RowComparer<K> comparer, IdempotencyClock clock, Duration minimumAge, int capacity) {
        this.sides = sides;
        this.comparer = comparer;
        this.clock = clock;
        this.minimumAge = minimumAge;
        this.capacity = capacity;
    }

    /** What had been read when a suspect was found. */
    record Position<K>(Optional<K> key, long oldRows, long newRows) {}

    private enum State {
        OPEN,
        CONFIRMED,
        DISMISSED,
        UNDECIDED
    }

    private static final class Suspect<K> {
        final Position<K> before;
        Finding<K> seen;
        Instant since;
        int looks;
        State state = State.OPEN;

        Suspect(Position<K> before, Finding<K> seen, Instant since) {
            this.before = before;
            this.seen = seen;
            this.since = since;
        }
    }

    /** Receives the outcome of suspects, in the order in which they arrived. */
    interface Verdict<K> {
        void confirmed(Finding<K> finding);

        void dismissed(K key);

        void undecided(K key);
    }

    /** Adds a difference, both of whose rows have been read. */
    void add(Finding<K> seen, Position<K> before) {
        Suspect<K> suspect = new Suspect<>(before, seen, clock.now());
        inOrder.add(suspect);
        byTime.add(suspect);
    }

    boolean isEmpty() {
        return inOrder.isEmpty();
    }

    boolean isFull() {
        return inOrder.size() >= capacity;
    }

    int size() {
        return inOrder.size();
    }

    /**
     * Returns the position up to which everything is done, provided that everything up to {@code read} has been read.
     */
    Position<K> mark(Position<K> read) {
        Suspect<K> first = inOrder.peek();
        return first == null ? read : first.before;
    }

    /** Returns how long until something can be read again; zero if something can. */
    Duration untilDue() {
        Suspect<K> first = byTime.peek();
        if (first == null) {
            return Duration.ZERO;
        }
        Duration left = Duration.between(clock.now(), first.since.plus(minimumAge));
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** Reads due suspects again and reports the decided ones. */
    void look(Verdict<K> verdict) {
        List<Suspect<K>> due = takeDue();
        while (!due.isEmpty()) {
            lookAt(due);
            due = due.size() < BATCH ? List.of() : takeDue();
        }
        for (Suspect<K> first = inOrder.peek(); first != null && first.state != State.OPEN; first = inOrder.peek()) {
            inOrder.remove();
            switch (first.state) {
                case CONFIRMED -> verdict.confirmed(first.seen);
                case DISMISSED -> verdict.dismissed(first.seen.key());
                default -> verdict.undecided(first.seen.key());
            }
        }
    }

    private List<Suspect<K>> takeDue() {
        List<Suspect<K>> due = new ArrayList<>();
        while (due.size() < BATCH && !byTime.isEmpty() && untilDue().isZero()) {
            due.add(byTime.remove());
        }
        return due;
    }

    private void lookAt(List<Suspect<K>> due) {
        List<K> keys = due.stream().map(suspect -> suspect.seen.key()).toList();
        Map<K, Row<K>> old = sides.find(Side.OLD, keys);
        Map<K, Row<K>> replacement = sides.find(Side.NEW, keys);
        for (Suspect<K> suspect : due) {
            K key = suspect.seen.key();
            decide(suspect, comparer.compare(key, old.get(key), replacement.get(key)));
            if (suspect.state == State.CONFIRMED) {
                suspect.seen = comparer.withValues(suspect.seen, old.get(key), replacement.get(key));
            }
        }
    }

    private void decide(Suspect<K> suspect, @Nullable Finding<K> now) {
        suspect.looks++;
        if (now == null) {
            suspect.state = State.DISMISSED;
        } else if (now.evidence().equals(suspect.seen.evidence())) {
            suspect.state = State.CONFIRMED;
        } else if (suspect.looks == MOST_LOOKS) {
            suspect.state = State.UNDECIDED;
        } else {
            suspect.seen = now;
            suspect.since = clock.now();
            byTime.add(suspect);
        }
    }
}
