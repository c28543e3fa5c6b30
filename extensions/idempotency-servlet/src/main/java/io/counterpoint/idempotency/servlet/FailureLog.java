package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.IdempotencyException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Logs why the service failed, which the client does not see: once per cause and minute. */
final class FailureLog {

    private static final System.Logger LOG = System.getLogger(IdempotencyFilter.class.getName());

    private static final long PAUSE = Duration.ofMinutes(1).toNanos();

    /** More causes than occur in practice. */
    private static final int MOST_CAUSES = 1_000;

    private static final int DEPTH = 32;

    /** When a cause was logged, and how often it has occurred since. */
    private record Logged(long nanos, AtomicLong others) {}

    private final LongSupplier nanos;
    private final Map<String, Logged> causes = new ConcurrentHashMap<>();

    FailureLog(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /**
     * Logs a failure to which the library responds. Failures caused by a client or another request are not failures of
     * the service.
     */
    void answered(IdempotencyException failure, int status) {
        if (status < 500) {
            return;
        }
        long now = nanos.getAsLong();
        AtomicLong others = new AtomicLong(-1);
        causes.compute(causeOf(failure), (cause, logged) -> {
            if (logged != null && now - logged.nanos() < PAUSE) {
                logged.others().incrementAndGet();
                return logged;
            }
            others.set(logged == null ? 0 : logged.others().get());
            return new Logged(now, new AtomicLong());
        });
        if (others.get() < 0) {
            return;
        }
        if (causes.size() > MOST_CAUSES) {
            causes.clear();
        }
        LOG.log(
                System.Logger.Level.WARNING,
                "Answered " + status
                        + (others.get() == 0 ? "" : ", and " + others + " more times since this was last logged") + ": "
                        + failure.getMessage(),
                LoggedCause.of(failure.getCause(), DEPTH));
    }

    /** The operation, the reason and the class of the root cause, without messages, which may contain values. */
    private static String causeOf(IdempotencyException failure) {
        Throwable root = failure;
        for (int depth = 0; depth < DEPTH && root.getCause() != null; depth++) {
            root = root.getCause();
        }
        return failure.key().operation() + " " + failure.reason() + " "
                + root.getClass().getName();
    }
}
