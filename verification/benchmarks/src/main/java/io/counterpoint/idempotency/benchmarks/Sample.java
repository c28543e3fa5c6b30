package io.counterpoint.idempotency.benchmarks;

/**
 * What one variant did in one round.
 *
 * @param calls how many there were, in so many seconds
 * @param cost of one call
 * @param p50 how long half of the calls took at most, in microseconds
 * @param p99 how long 99 of 100 calls took at most, in microseconds
 */
record Sample(long calls, double seconds, Cost cost, double p50, double p99) {

    double perSecond() {
        return calls / seconds;
    }

    /**
     * What the meters showed, for one call.
     *
     * @param clientMicros processor time of this process
     * @param serverMicros processor time of the server's processes
     * @param instructions of the server's processes
     * @param logSyncs flushes of the log
     * @param logBytes what was written to the log
     * @param indexBlocks blocks of indexes that the server did not have in its buffers
     */
    record Cost(
            double clientMicros,
            double serverMicros,
            double instructions,
            double logSyncs,
            double logBytes,
            double indexBlocks) {}
}
