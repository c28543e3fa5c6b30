package io.counterpoint.idempotency.benchmarks;

/**
 * What one variant did in one round.
 *
 * @param perSecond calls in a second
 * @param cost of one call
 * @param p50 how long half of the calls took at most, in microseconds
 * @param p99 how long 99 of 100 calls took at most, in microseconds
 */
record Sample(double perSecond, Cost cost, double p50, double p99) {

    /** A sample whose throughput alone is known. */
    static Sample of(double perSecond) {
        return new Sample(perSecond, Cost.UNKNOWN, Double.NaN, Double.NaN);
    }

    /**
     * What the meters showed, for one call.
     *
     * @param clientMicros processor time of this process
     * @param serverMicros processor time of the server's processes
     * @param logSyncs flushes of the log
     * @param logBytes what was written to the log
     * @param indexBlocks blocks of indexes that the server did not have in its buffers
     */
    record Cost(double clientMicros, double serverMicros, double logSyncs, double logBytes, double indexBlocks) {

        private static final Cost UNKNOWN = new Cost(Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
    }
}
