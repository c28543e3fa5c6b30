package io.counterpoint.idempotency.consistency;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets callers of one process that are about to write the same row go one after the other, instead of all at once and
 * most of them in vain. For rows that everybody charges, such as the quota of the largest customer: a caller that waits
 * for its turn holds no connection, and meets no conflict with those before it. Thread-safe.
 *
 * <pre>{@code
 * int left = turns.inTurn(workspace, () -> transactions.inTransaction(SERIALIZABLE, handle -> debit(handle, workspace)));
 * }</pre>
 *
 * <p>It saves work and nothing else: what is right is decided by the database, also between processes, and a caller whose
 * turn does not come in time goes without. Not promised: order, or that two things never wait for each other; there are
 * as many lanes as are asked for, and things share them by their hash.
 */
public final class Turns {

    private final ReentrantLock[] lanes;
    private final Duration maxWait;

    private Turns(int lanes, Duration maxWait) {
        this.lanes = new ReentrantLock[lanes];
        for (int i = 0; i < lanes; i++) {
            this.lanes[i] = new ReentrantLock();
        }
        this.maxWait = maxWait;
    }

    /**
     * Turns in 256 lanes, waited for by up to five seconds.
     *
     * @return the turns
     */
    public static Turns create() {
        return of(256, Duration.ofSeconds(5));
    }

    /**
     * Turns.
     *
     * @param lanes how many things can be at work at once, from 1 to 65,536
     * @param maxWait how long a caller waits for its turn before it goes without; not negative
     * @return the turns
     * @throws IllegalArgumentException if outside these bounds
     */
    public static Turns of(int lanes, Duration maxWait) {
        if (lanes < 1 || lanes > 1 << 16 || maxWait.isNegative()) {
            throw new IllegalArgumentException(
                    "Turns have 1 to 65,536 lanes and a longest wait that is not negative, found " + lanes + " and "
                            + maxWait + ".");
        }
        return new Turns(lanes, maxWait);
    }

    /**
     * Does something when its turn has come, or the longest wait is at its end. An interrupt ends the wait and is kept.
     *
     * @param <T> what it answers
     * @param <X> what it throws
     * @param thing what others want to write too, such as the row's key
     * @param work what to do: a whole transaction, with its retries
     * @return what it answered
     * @throws X what it threw
     */
    public <T, X extends Exception> T inTurn(Object thing, Work<T, X> work) throws X {
        int hash = thing.hashCode() * 0x9E3779B9;
        ReentrantLock lane = lanes[Math.floorMod(hash ^ (hash >>> 16), lanes.length)];
        boolean mine = false;
        try {
            mine = lane.tryLock(maxWait.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        try {
            return work.run();
        } finally {
            if (mine) {
                lane.unlock();
            }
        }
    }

    /**
     * Does something without an answer, as {@link #inTurn}.
     *
     * @param <X> what it throws
     * @param thing what others want to write too
     * @param work what to do
     * @throws X what it threw
     */
    public <X extends Exception> void useTurn(Object thing, WorkWithoutAnswer<X> work) throws X {
        inTurn(thing, () -> {
            work.run();
            return true;
        });
    }

    /**
     * The work for {@link Turns#inTurn}.
     *
     * @param <T> what it answers
     * @param <X> what it throws
     */
    @FunctionalInterface
    public interface Work<T, X extends Exception> {
        /**
         * Does it.
         *
         * @return the answer
         * @throws X if it fails
         */
        T run() throws X;
    }

    /**
     * The work for {@link Turns#useTurn}. It returns nothing.
     *
     * @param <X> what it throws
     */
    @FunctionalInterface
    public interface WorkWithoutAnswer<X extends Exception> {
        /**
         * Does it.
         *
         * @throws X if it fails
         */
        void run() throws X;
    }
}
