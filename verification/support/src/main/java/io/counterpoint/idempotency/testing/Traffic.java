package io.counterpoint.idempotency.testing;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What has reached the server through a proxy since the last reset. */
final class Traffic {

    /** Enough to explain a failure, and little enough for a long load. */
    private static final int REMEMBERED = 1_000;

    private final Deque<RoundTrip> begun = new ArrayDeque<>();
    private final SortedMap<Integer, Integer> finishedByConnection = new TreeMap<>();

    synchronized void begun(RoundTrip roundTrip) {
        if (begun.size() == REMEMBERED) {
            begun.removeFirst();
        }
        begun.addLast(roundTrip);
    }

    synchronized void finished(RoundTrip roundTrip) {
        finishedByConnection.merge(roundTrip.connection(), 1, Integer::sum);
    }

    synchronized void reset() {
        begun.clear();
        finishedByConnection.clear();
    }

    synchronized int roundTrips() {
        return finishedByConnection.values().stream()
                .mapToInt(Integer::intValue)
                .sum();
    }

    synchronized SortedMap<Integer, Integer> roundTripsByConnection() {
        return new TreeMap<>(finishedByConnection);
    }

    synchronized List<String> statements() {
        return begun.stream()
                .flatMap(roundTrip -> roundTrip.statements().stream())
                .toList();
    }

    /** One line for each round trip. */
    @Override
    public synchronized String toString() {
        return begun.stream().map(RoundTrip::toString).collect(Collectors.joining("\n"));
    }
}
