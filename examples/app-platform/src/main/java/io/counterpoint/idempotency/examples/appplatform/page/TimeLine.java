package io.counterpoint.idempotency.examples.appplatform.page;

import java.util.ArrayList;
import java.util.List;

/** What happened to a key, in order, and who did it. Thread-safe. */
final class TimeLine {

    /** Who did it. The page draws a line for each. */
    enum Lane {
        LEADER,
        RECORD,
        CALLERS,
        VISITOR
    }

    /**
     * Something that happened.
     *
     * @param at milliseconds since the beginning
     */
    record Entry(long at, Lane lane, String what) {}

    private final long began = System.nanoTime();
    private final List<Entry> entries = new ArrayList<>();

    synchronized void add(Lane lane, String what) {
        entries.add(new Entry((System.nanoTime() - began) / 1_000_000, lane, what));
    }

    /** Whether a lane has an entry with this text. */
    synchronized boolean has(Lane lane, String what) {
        return entries.stream()
                .anyMatch(entry -> entry.lane() == lane && entry.what().equals(what));
    }

    /** The last entry of a lane; empty if there is none. */
    synchronized String last(Lane lane) {
        return entries.stream()
                .filter(entry -> entry.lane() == lane)
                .reduce((before, after) -> after)
                .map(Entry::what)
                .orElse("");
    }

    synchronized List<Entry> entries() {
        return List.copyOf(entries);
    }
}
