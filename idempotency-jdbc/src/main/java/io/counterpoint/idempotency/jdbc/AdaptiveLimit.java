package io.counterpoint.idempotency.jdbc;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * An adaptive concurrency limit: how many callers may read for themselves. A statement that waits longer for its
 * connection than for its reply lowers the limit by one; any other raises it by one. The limit therefore follows the
 * majority of statements, and a single slow one has no lasting effect.
 */
final class AdaptiveLimit {

    private final int most;
    private final int least;
    private final LongSupplier nanos;
    private final AtomicInteger limit;

    /**
     * Creates a limit that starts at its maximum.
     *
     * @param most the maximum; 0 if no caller reads for itself
     */
    AdaptiveLimit(int most) {
        this(most, System::nanoTime);
    }

    /** Creates a limit with a different clock. */
    AdaptiveLimit(int most, LongSupplier nanos) {
        this.most = most;
        this.least = Math.min(1, most);
        this.nanos = nanos;
        this.limit = new AtomicInteger(most);
    }

    int get() {
        return limit.get();
    }

    /** Starts measuring a statement, before its connection is requested. */
    Statement begin() {
        return new Statement();
    }

    private void measured(long wait, long work) {
        if (wait > work) {
            limit.updateAndGet(now -> Math.max(least, now - 1));
        } else if (limit.get() < most) {
            limit.updateAndGet(now -> Math.min(most, now + 1));
        }
    }

    /** One statement. If it never gets a connection, all of its time counts as waiting. */
    final class Statement implements AutoCloseable {
        private final long asked = nanos.getAsLong();
        private long waited = -1;

        private Statement() {}

        /** Records that the connection was obtained. */
        void connected() {
            waited = nanos.getAsLong() - asked;
        }

        @Override
        public void close() {
            long took = nanos.getAsLong() - asked;
            measured(waited < 0 ? took : waited, waited < 0 ? -1 : took - waited);
        }
    }
}
