package io.counterpoint.idempotency.consistency.internal;

/** Keeps what a listener throws away from its notifier. */
public final class Isolated {

    private Isolated() {}

    /**
     * Notifies a listener. What it throws goes to the thread's uncaught exception handler.
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
