package io.counterpoint.idempotency.jdbc;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * An adaptive concurrency limit: how many callers may read for themselves. A statement that waits longer for its
 * connection than for its answer lowers the limit by one, any other raises it by one. So the limit follows what most
 * statements meet, and one of them that was slow by chance changes nothing.
 */
final class AdaptiveLimit {

    private final int most;
    private final int least;
    private final LongSupplier nanos;
    private final AtomicInteger limit;

    /**
     * Begins at its upper end.
     *
     * @param most its upper end; 0 for none that read for themselves
     */
    AdaptiveLimit(int most) {
        this(most, System::nanoTime);
    }

    /** With another clock. */
    AdaptiveLimit(int most, LongSupplier nanos) {
        this.most = most;
        this.least = Math.min(1, most);
        this.nanos = nanos;
        this.limit = new AtomicInteger(most);
    }

    int get() {
        return limit.get();
    }

    /** Begins to measure a statement, before its connection is asked for. */
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

    /** One statement. One that never gets a connection has waited all the time. */
    final class Statement implements AutoCloseable {
        private final long asked = nanos.getAsLong();
        private long waited = -1;

        private Statement() {}

        /** Says that the connection is there. */
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
