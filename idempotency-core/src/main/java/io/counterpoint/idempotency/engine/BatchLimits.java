package io.counterpoint.idempotency.engine;

import java.time.Duration;

/**
 * The mode of a batch and its limits.
 *
 * @param mode the mode
 * @param attempts the maximum number of attempts
 * @param resultBytes the most bytes that the results stored by one transaction have
 * @param time after how long nothing more is begun
 */
public record BatchLimits(Mode mode, int attempts, long resultBytes, Duration time) {

    /** Which transactions the attempts of a batch have. */
    public enum Mode {
        /** Claims, work and marks of all commit together. */
        ONE_TRANSACTION,
        /** Each is executed as if alone. */
        EACH_ITS_OWN
    }

    /**
     * The limits that nobody has set.
     *
     * @param mode the mode
     * @return the limits
     */
    public static BatchLimits of(Mode mode) {
        return new BatchLimits(mode, 1000, 16 << 20, Duration.ofMinutes(1));
    }

    /**
     * The same with another number of attempts.
     *
     * @param most the maximum number of attempts
     * @return the limits
     */
    public BatchLimits withAttempts(int most) {
        return new BatchLimits(mode, most, resultBytes, time);
    }

    /**
     * The same with another number of bytes.
     *
     * @param most the maximum number of bytes
     * @return the limits
     */
    public BatchLimits withResultBytes(long most) {
        return new BatchLimits(mode, attempts, most, time);
    }

    /**
     * The same with another time.
     *
     * @param longest after how long nothing more is begun
     * @return the limits
     */
    public BatchLimits withTime(Duration longest) {
        return new BatchLimits(mode, attempts, resultBytes, longest);
    }
}
