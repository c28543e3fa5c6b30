package io.counterpoint.idempotency.engine;

import java.time.Duration;

/**
 * The mode and the limits of a batch.
 *
 * @param mode the mode
 * @param attempts the maximum number of attempts
 * @param resultBytes the maximum total size of the results stored by one transaction, in bytes
 * @param time the time after which nothing more is started
 */
public record BatchLimits(Mode mode, int attempts, long resultBytes, Duration time) {

    /** How the attempts of a batch are distributed over transactions. */
    public enum Mode {
        /** Claims, work and marks of all attempts commit together. */
        ONE_TRANSACTION,
        /** Each attempt is executed as if on its own. */
        EACH_ITS_OWN
    }

    /**
     * Returns the default limits.
     *
     * @param mode the mode
     * @return the limits
     */
    public static BatchLimits of(Mode mode) {
        return new BatchLimits(mode, 1000, 16 << 20, Duration.ofMinutes(1));
    }
}
