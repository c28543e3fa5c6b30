package io.counterpoint.idempotency.testing;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Collectors;

/** What has reached the server through a proxy since the last reset. */
final class Traffic {

    /** Enough to explain a failure, but bounded for long loads. */
    private static final int REMEMBERED = 1_000;

    private final Deque<RoundTrip> begun = new ArrayDeque<>();
    private int finished;

    synchronized void begun(RoundTrip roundTrip) {
        if (begun.size() == REMEMBERED) {
            begun.removeFirst();
        }
        begun.addLast(roundTrip);
    }

    synchronized void finished() {
        finished++;
    }

    synchronized void reset() {
        begun.clear();
        finished = 0;
    }

    synchronized int roundTrips() {
        return finished;
    }

    synchronized List<String> statements() {
        return begun.stream()
                .flatMap(roundTrip -> roundTrip.statements().stream())
                .toList();
    }

    /** One line per round trip. */
    @Override
    public synchronized String toString() {
        return begun.stream().map(RoundTrip::toString).collect(Collectors.joining("\n"));
    }
}
