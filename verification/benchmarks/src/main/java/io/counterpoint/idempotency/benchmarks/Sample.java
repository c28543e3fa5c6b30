package io.counterpoint.idempotency.benchmarks;

/**
 * The results of one variant in one round.
 *
 * @param perSecond calls per second
 * @param cost the cost of one call
 * @param p50 the median duration, in microseconds
 * @param p99 the 99th percentile of the duration, in microseconds
 */
record Sample(double perSecond, Cost cost, double p50, double p99) {

    /** A sample with only the throughput. */
    static Sample of(double perSecond) {
        return new Sample(perSecond, Cost.UNKNOWN, Double.NaN, Double.NaN);
    }

    /**
     * The readings of the meters, per call.
     *
     * @param clientMicros processor time of this process
     * @param serverMicros processor time of the server's processes
     * @param logSyncs flushes of the log
     * @param logBytes bytes written to the log
     * @param indexBlocks index blocks that were not in the server's buffers
     */
    record Cost(double clientMicros, double serverMicros, double logSyncs, double logBytes, double indexBlocks) {

        private static final Cost UNKNOWN = new Cost(Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
    }
}
