package io.counterpoint.idempotency.consistency.internal;

/** Isolates a notifier from exceptions of its listeners. */
public final class Isolated {

    private Isolated() {}

    /**
     * Notifies a listener. Its exceptions go to the thread's uncaught exception handler.
     *
     * @param notification calls the listener
     */
    public static void run(Runnable notification) {
        try {
            notification.run();
        } catch (Throwable thrown) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
        }
    }
}
