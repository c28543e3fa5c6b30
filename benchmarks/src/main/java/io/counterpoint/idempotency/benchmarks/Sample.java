package io.counterpoint.idempotency.benchmarks;

/** What one variant did in one round. Processor times are microseconds a call. */
record Sample(long calls, double seconds, double clientMicros, double serverMicros, double logSyncs) {

    double perSecond() {
        return calls / seconds;
    }
}
