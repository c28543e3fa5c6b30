package io.counterpoint.idempotency.torture;

import java.sql.SQLException;
import java.util.Set;
import java.util.SplittableRandom;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.JdbiException;

/** What the work of one call does, if it runs. */
final class WorkStep {

    /** The error codes of MariaDB and MySQL for a deadlock and for a lock timeout. */
    private static final Set<Integer> SWALLOWED = Set.of(1213, 1205);

    /** In milliseconds; long enough for others to take their first lock. */
    private static final int SHORTEST_CONTENTION = 20;

    private final String key;
    private final String origin;
    private final WorkBehaviour conduct;
    private final int pauseMillis;
    private int runs;
    private boolean hasSwallowed;

    /** The prefix of a call's results. */
    static String origin(String request, String call) {
        return request + "." + call;
    }

    /** The origin is that of {@link #origin}. */
    WorkStep(String key, String origin, WorkBehaviour conduct, int pauseMillis) {
        this.key = key;
        this.origin = origin;
        this.conduct = conduct;
        this.pauseMillis = pauseMillis;
    }

    enum WorkBehaviour {
        PLAIN,
        /** The work throws, permanently. */
        REFUSES,
        /** The work throws, and the operation releases the key. */
        IS_BUSY,
        /** The work takes locks in the opposite order to others, and swallows the exception. */
        CONTENDS,
        /** The external effect happens, but the work throws all the same. */
        THROWS_AFTERWARDS
    }

    /**
     * Work never releases brief keys, so their records are only removed by purges, or because the work could not begin.
     */
    static WorkBehaviour conduct(SplittableRandom random, String key) {
        int dice = random.nextInt(100);
        if (dice < 5) {
            return WorkBehaviour.REFUSES;
        }
        if (dice < 8) {
            return Key.isBrief(key) ? WorkBehaviour.PLAIN : WorkBehaviour.IS_BUSY;
        }
        return dice < 11
                ? WorkBehaviour.THROWS_AFTERWARDS
                : Key.isContended(key) ? WorkBehaviour.CONTENDS : WorkBehaviour.PLAIN;
    }

    String key() {
        return key;
    }

    /** A result that no other run of any call has. */
    String freshResult() {
        return origin + "." + ++runs;
    }

    /** Whether the work has swallowed a deadlock or a lock timeout. */
    boolean hasSwallowed() {
        return hasSwallowed;
    }

    /** Whether a run of this call has produced the result. */
    boolean hasMade(String result) {
        return result.startsWith(origin + ".");
    }

    /** Half of the calls lock the two rows in the opposite order. Other exceptions are thrown. */
    void beforeEffect(Handle handle) throws InterruptedException {
        if (conduct != WorkBehaviour.CONTENDS) {
            return;
        }
        int first = origin.hashCode() & 1;
        try {
            lock(handle, first);
            Thread.sleep(Math.max(pauseMillis, SHORTEST_CONTENTION));
            lock(handle, 1 - first);
        } catch (JdbiException thrown) {
            boolean isSwallowed =
                    thrown.getCause() instanceof SQLException cause && SWALLOWED.contains(cause.getErrorCode());
            if (!isSwallowed) {
                throw thrown;
            }
            hasSwallowed = true;
        }
    }

    private static void lock(Handle handle, int row) {
        int unused = handle.execute("UPDATE contended SET hits = hits + 1 WHERE id = ?", row);
    }

    void beforeExternalEffect() throws Refused, Busy, InterruptedException {
        throwIfRefusing();
        pause();
    }

    void afterExternalEffect() throws InterruptedException {
        pause();
        if (conduct == WorkBehaviour.THROWS_AFTERWARDS) {
            throw new IllegalStateException("the external answer cannot be read");
        }
    }

    /** Fails like the work, or with a database error. */
    void afterFollowUp(Handle handle) throws Refused, Busy, InterruptedException {
        if (conduct == WorkBehaviour.THROWS_AFTERWARDS) {
            int unused = handle.execute("INSERT INTO effect (key_value, payload) VALUES (?, NULL)", key);
        }
        afterEffect();
    }

    void afterEffect() throws Refused, Busy, InterruptedException {
        pause();
        throwIfRefusing();
    }

    private void throwIfRefusing() throws Refused, Busy {
        if (conduct == WorkBehaviour.REFUSES) {
            throw new Refused(key);
        }
        if (conduct == WorkBehaviour.IS_BUSY) {
            throw new Busy(key);
        }
    }

    private void pause() throws InterruptedException {
        if (pauseMillis > 0) {
            Thread.sleep(pauseMillis);
        }
    }

    /** An exception from the work of a key. */
    abstract static class Thrown extends Exception {
        private static final long serialVersionUID = 1L;

        private final String key;

        private Thrown(String key) {
            super(key);
            this.key = key;
        }

        boolean isOf(WorkStep script) {
            return key.equals(script.key);
        }
    }

    /** The domain refuses, permanently. */
    static final class Refused extends Thrown {
        private static final long serialVersionUID = 1L;

        private Refused(String key) {
            super(key);
        }
    }

    /** The domain is busy for now. */
    static final class Busy extends Thrown {
        private static final long serialVersionUID = 1L;

        private Busy(String key) {
            super(key);
        }
    }
}
