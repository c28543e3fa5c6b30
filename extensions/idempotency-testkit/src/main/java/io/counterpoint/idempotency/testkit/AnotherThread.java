package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.internal.Rethrow;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Another thread, for another caller, unaffected by the sessions and calls of this thread. */
final class AnotherThread {

    private static final long SECONDS = 30;
    private static final long MOMENT = 25;

    private AnotherThread() {}

    /** Starts an action on a new thread. */
    static <T> Future<T> begin(Callable<T> action) {
        FutureTask<T> task = new FutureTask<>(action);
        Thread thread = new Thread(task, "another");
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    /** Runs an action on a new thread while this one waits. Its exceptions are rethrown here as is. */
    static <T> T get(Callable<T> action) {
        return end(begin(action));
    }

    /** Like {@link #get}, for actions without a result. */
    static void run(Body action) {
        get(() -> {
            action.run();
            return true;
        });
    }

    /** Returns what the action throws on a new thread; null if nothing. */
    static @Nullable Throwable thrownBy(Callable<?> action) {
        Future<?> future = begin(action);
        try {
            future.get(SECONDS, TimeUnit.SECONDS);
            return null;
        } catch (ExecutionException thrown) {
            return thrown.getCause();
        } catch (InterruptedException | TimeoutException thrown) {
            throw new AssertionError("Another thread did not come to an end", thrown);
        }
    }

    /** Returns the result of an action that was started. */
    static <T> T end(Future<T> future) {
        try {
            return future.get(SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException thrown) {
            Throwable cause = thrown.getCause();
            throw Rethrow.unchanged(cause == null ? thrown : cause);
        } catch (InterruptedException | TimeoutException thrown) {
            throw new AssertionError("Another thread did not come to an end", thrown);
        }
    }

    /** Returns whether an action that was started has not ended after a moment. */
    static boolean waits(Future<?> future) {
        try {
            future.get(MOMENT, TimeUnit.MILLISECONDS);
            return false;
        } catch (TimeoutException stillWaiting) {
            return true;
        } catch (ExecutionException ended) {
            return false;
        } catch (InterruptedException thrown) {
            throw new AssertionError("Interrupted while watching another thread", thrown);
        }
    }

    /** Waits for an event of another thread. */
    static void await(CountDownLatch latch) {
        try {
            if (!latch.await(SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("What another thread was to do did not happen");
            }
        } catch (InterruptedException thrown) {
            throw new AssertionError("Interrupted while waiting for another thread", thrown);
        }
    }

    interface Body {
        void run() throws Exception;
    }
}
