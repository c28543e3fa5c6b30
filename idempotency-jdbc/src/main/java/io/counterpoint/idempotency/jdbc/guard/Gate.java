package io.counterpoint.idempotency.jdbc.guard;

import java.io.IOException;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Controls access to the driver's objects of one transaction. The thread that runs the work has access until the connection
 * is returned to the pool. Other threads have access until the work ends, and each of their calls is counted. Later calls do
 * nothing. A single lock decides whether a call is early enough or too late.
 */
public final class Gate {

    private final GuardedConnection connection;

    /** The thread that runs the work. Another thread may read a stale value, but never one equal to itself. */
    private @Nullable Thread owner = Thread.currentThread();

    /** The current calls of other threads. This field and those that follow are guarded by this object. */
    private List<Passage> passages = List.of();

    private boolean ended;
    private boolean leftOpen;

    Gate(GuardedConnection connection) {
        this.connection = connection;
    }

    /** One call from beginning to end. Only calls of other threads are counted. */
    static final class Passage {
        private static final Passage OF_OWNER = new Passage(null, Passage.class);

        private final @Nullable Gate gate;
        private final Object delegate;

        private Passage(@Nullable Gate gate, Object delegate) {
            this.gate = gate;
            this.delegate = delegate;
        }

        void leave() {
            if (gate != null) {
                gate.leaves(this);
            }
        }
    }

    boolean isOwner() {
        return Thread.currentThread() == owner;
    }

    /**
     * Admits a call.
     *
     * @throws SQLException if it comes too late
     */
    Passage passage(Object delegate, String method) throws SQLException {
        Passage passage = passageUnlessLate(delegate);
        if (passage == Passage.OF_OWNER) {
            connection.isUsed();
        } else if (passage == null) {
            throw new SQLException(
                    "Refused to " + method + ": the work is over, and its transaction has ended or is about to end."
                            + " Wait for all tasks of the work before the work returns.",
                    "08003");
        }
        return passage;
    }

    /** Like {@link #passage}, for a stream created by the driver. */
    Passage passageOfStream(Object delegate, String method) throws IOException {
        try {
            return passage(delegate, method);
        } catch (SQLException late) {
            throw new IOException(late.getMessage(), late);
        }
    }

    /**
     * Like {@link #passage}, but returns null if the call comes too late. A late cancel would hit the next borrower of
     * the connection.
     */
    @Nullable
    Passage passageUnlessLate(Object delegate) {
        return isOwner() ? Passage.OF_OWNER : enters(delegate);
    }

    private synchronized @Nullable Passage enters(Object delegate) {
        if (ended) {
            return null;
        }
        if (passages.isEmpty()) {
            passages = new ArrayList<>();
        }
        Passage passage = new Passage(this, delegate);
        passages.add(passage);
        return passage;
    }

    private synchronized void leaves(Passage passage) {
        passages.removeIf(one -> one == passage);
        notifyAll();
    }

    /**
     * Ends the work: no other thread is admitted any more.
     *
     * @return false if one of them was in a call when the work ended
     */
    public synchronized boolean end() {
        if (!ended) {
            ended = true;
            leftOpen = !passages.isEmpty();
        }
        return !leftOpen;
    }

    synchronized boolean hasEnded() {
        return ended;
    }

    /**
     * Waits until other threads have left. Nobody is admitted any more, so their changes can then be rolled back.
     *
     * @param boundOfEach how long to wait for each call
     * @return whether they have left
     */
    public synchronized boolean isLeftWithin(Duration boundOfEach) {
        try {
            for (int calls = passages.size(); calls > 0 && !passages.isEmpty(); calls--) {
                wait(boundOfEach.toMillis());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        leftOpen = !passages.isEmpty();
        return !leftOpen;
    }

    /** Closes the gate: nobody is admitted any more. */
    void close() {
        boolean unused = end();
        owner = null;
    }

    /**
     * Cancels the calls of other threads on a connection that is about to be terminated. Otherwise the server would
     * keep the locks of the transaction until it notices the end of the connection.
     */
    public void cancelAll() {
        List<Passage> inFlight;
        synchronized (this) {
            inFlight = List.copyOf(passages);
        }
        for (Passage passage : inFlight) {
            if (passage.delegate instanceof Statement statement) {
                try {
                    statement.cancel();
                } catch (SQLException | RuntimeException unanswered) {
                    // The connection is terminated in any case.
                }
            }
        }
    }
}
