package io.counterpoint.idempotency.examples.appplatform;

import java.util.concurrent.CountDownLatch;

/** Interrupts the thread that made it as soon as the program is to stop, until that has ended. */
final class Interruption {

    private final Thread watcher;
    private final Thread watched = Thread.currentThread();
    private boolean ended;

    Interruption(CountDownLatch stop) {
        watcher = new Thread(
                () -> {
                    try {
                        stop.await();
                        interrupt();
                    } catch (InterruptedException noLonger) {
                        // There is nothing left to interrupt.
                    }
                },
                "stop");
        watcher.setDaemon(true);
        watcher.start();
    }

    private synchronized void interrupt() {
        if (!ended) {
            watched.interrupt();
        }
    }

    /** From here the thread is left alone, so that it can print and close. */
    void end() {
        synchronized (this) {
            ended = true;
        }
        watcher.interrupt();
        boolean unused = Thread.interrupted();
    }
}
