package io.counterpoint.idempotency.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who may use the driver's objects of one transaction. The thread that runs the work may, until the connection goes back.
 * Other threads may, until the work has ended, and each of their calls is counted. A call that comes later does nothing.
 * Whether a call came before the end or after it is decided under one lock: no call comes in between.
 */
final class Gate {

    private static final List<Class<?>> KINDS = List.of(
            Connection.class,
            CallableStatement.class,
            PreparedStatement.class,
            Statement.class,
            ResultSet.class,
            DatabaseMetaData.class,
            Array.class);

    /** The thread that runs the work. Another thread may read it late, and is not it in either case. */
    private @Nullable Thread owner = Thread.currentThread();

    /** The calls of other threads at this moment. All of what follows is guarded by this object. */
    private List<Passage> passages = List.of();

    private boolean ended;
    private boolean leftOpen;

    /** One call of another thread. */
    private static final class Passage {
        final Object delegate;

        Passage(Object delegate) {
            this.delegate = delegate;
        }
    }

    boolean isOwner() {
        return Thread.currentThread() == owner;
    }

    /** The driver's object, as the calling thread may use it. */
    <T> T pass(T delegate) {
        return isOwner() ? delegate : counted(delegate);
    }

    private <T> T counted(T delegate) {
        Class<?>[] kinds =
                KINDS.stream().filter(kind -> kind.isInstance(delegate)).toArray(Class<?>[]::new);
        @SuppressWarnings("unchecked") // It has all of JDBC's interfaces that the object has.
        T proxy = (T) Proxy.newProxyInstance(
                Gate.class.getClassLoader(), kinds, (self, method, arguments) -> call(delegate, method, arguments));
        return proxy;
    }

    private @Nullable Object call(Object delegate, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        Passage passage = new Passage(delegate);
        if (!enters(passage)) {
            return late(method);
        }
        try {
            return method.invoke(delegate, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        } finally {
            leaves(passage);
        }
    }

    private synchronized boolean enters(Passage passage) {
        if (ended) {
            return false;
        }
        if (passages.isEmpty()) {
            passages = new ArrayList<>();
        }
        passages.add(passage);
        return true;
    }

    private synchronized void leaves(Passage passage) {
        passages.removeIf(one -> one == passage);
        notifyAll();
    }

    /** A cancel would hit what the next borrower of the connection does. */
    private static @Nullable Object late(Method method) throws SQLException {
        return switch (method.getName()) {
            case "close", "cancel" -> null;
            case "isClosed" -> true;
            case "isWrapperFor" -> false;
            default ->
                throw new SQLException(
                        "Refused to " + method.getName()
                                + ": the work is over, and its transaction has ended or is about"
                                + " to. Wait for every task of the work before the work ends.",
                        "08003");
        };
    }

    /**
     * Ends the work: other threads do not enter any more.
     *
     * @return false if one of them was in a call when the work ended
     */
    synchronized boolean end() {
        if (!ended) {
            ended = true;
            leftOpen = !passages.isEmpty();
        }
        return !leftOpen;
    }

    synchronized boolean hasEnded() {
        return ended;
    }

    /** Waits until other threads have left. Nobody enters any more, so what they did can be rolled back then. */
    synchronized boolean isLeftWithin(Duration boundOfEach) {
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

    /** Nobody enters any more. */
    void close() {
        boolean unused = end();
        owner = null;
    }

    /**
     * Cancels what other threads have in flight, on a connection that is about to be ended. The server would keep the locks
     * of the transaction until it meets that end.
     */
    void cancelAll() {
        List<Passage> inFlight;
        synchronized (this) {
            inFlight = List.copyOf(passages);
        }
        for (Passage passage : inFlight) {
            if (passage.delegate instanceof Statement statement) {
                try {
                    statement.cancel();
                } catch (SQLException | RuntimeException unanswered) {
                    // The connection is ended in any case.
                }
            }
        }
    }
}
