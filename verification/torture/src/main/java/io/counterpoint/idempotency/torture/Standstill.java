package io.counterpoint.idempotency.torture;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Watches whether a process gets anywhere. Time counts in the beats of the process itself, so that it is not taken for
 * stuck where the machine is slow. One that does not even beat is given up too, much later.
 */
final class Standstill {

    private static final long LONGEST_SILENCE_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final long mostBeats;
    private long progress = -1;
    private long firstBeat;
    private long lastBeat;
    private long lastSign;

    /**
     * A watch that begins with the first look.
     *
     * @param longest the longest time without progress, if the process has all of it
     */
    Standstill(Duration longest) {
        this.mostBeats = Heartbeat.beats(longest);
    }

    /**
     * Looks once.
     *
     * @param beats how many beats there were up to now
     * @param done how much is done up to now
     * @param nanos the time now
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
