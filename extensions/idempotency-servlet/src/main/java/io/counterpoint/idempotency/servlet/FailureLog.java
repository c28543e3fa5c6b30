package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.IdempotencyException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Says in the log why the service failed, where the client is only told that it did: once a cause and minute. */
final class FailureLog {

    private static final System.Logger LOG = System.getLogger(IdempotencyFilter.class.getName());

    private static final long PAUSE = Duration.ofMinutes(1).toNanos();

    /** More causes than there are; from here on each is told. */
    private static final int MOST_CAUSES = 1_000;

    private static final int DEPTH = 32;

    /** A cause that was told, at some time, and how often it was met since. */
    private record Told(long nanos, AtomicLong untold) {}

    private final LongSupplier nanos;
    private final Map<String, Told> causes = new ConcurrentHashMap<>();

    FailureLog(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** A failure that the library answers. Those that a client has caused, or another request, are none of the service. */
    void answered(IdempotencyException failure, int status) {
        if (status < 500) {
            return;
        }
        long now = nanos.getAsLong();
        Told mine = new Told(now, new AtomicLong());
        Told[] before = new Told[1];
        Told current = causes.compute(causeOf(failure), (cause, told) -> {
            before[0] = told;
            return told == null || now - told.nanos() >= PAUSE ? mine : told;
        });
        if (current != mine) {
            current.untold().incrementAndGet();
            return;
        }
        if (causes.size() > MOST_CAUSES) {
            causes.clear();
        }
        long untold = before[0] == null ? 0 : before[0].untold().get();
        LOG.log(
                System.Logger.Level.WARNING,
                "Answered " + status + (untold == 0 ? "" : ", and " + untold + " times more since this was last said")
                        + ": " + failure.getMessage(),
                failure);
    }

    /** Its reason, and the class of the exception below all others: messages have values in them. */
    private static String causeOf(IdempotencyException failure) {
        Throwable root = failure;
        for (int depth = 0; depth < DEPTH && root.getCause() != null; depth++) {
            root = root.getCause();
        }
        return failure.reason() + " " + root.getClass().getName();
    }
}
