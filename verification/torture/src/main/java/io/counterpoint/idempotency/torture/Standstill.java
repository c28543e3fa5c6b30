package io.counterpoint.idempotency.torture;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Detects whether a process makes progress. Time is measured in the process's own beats, so that it does not count as
 * stuck when the machine is slow. A process that does not even beat is given up as well, but much later.
 */
final class Standstill {

    private static final long LONGEST_SILENCE_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final long mostBeats;
    private long progress = -1;
    private long firstBeat;
    private long lastBeat;
    private long lastSign;

    /**
     * Starts to watch at the first check.
     *
     * @param longest the longest time without progress, if the process can run all the time
     */
    Standstill(Duration longest) {
        this.mostBeats = Heartbeat.beats(longest);
    }

    /**
     * Checks once.
     *
     * @param beats the number of beats so far
     * @param done the amount of work done so far
     * @param nanos the current time
     */
    boolean isReached(long beats, long done, long nanos) {
        if (done != progress) {
            progress = done;
            firstBeat = beats;
            lastBeat = beats;
            lastSign = nanos;
        } else if (beats != lastBeat) {
            lastBeat = beats;
            lastSign = nanos;
        }
        return beats - firstBeat > mostBeats || nanos - lastSign > LONGEST_SILENCE_NANOS;
    }
}
