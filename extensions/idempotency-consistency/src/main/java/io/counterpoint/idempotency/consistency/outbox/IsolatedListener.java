package io.counterpoint.idempotency.consistency.outbox;

import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher.Listener;
import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher.Round;

/** Keeps what a listener throws away from the publisher. */
final class IsolatedListener implements Listener {

    private final Listener listener;

    IsolatedListener(Listener listener) {
        this.listener = listener;
    }

    @Override
    public void published(String topic, Round round) {
        isolated(() -> listener.published(topic, round));
    }

    @Override
    public void refused(OutboxEvent event, int attempt, Throwable thrown) {
        isolated(() -> listener.refused(event, attempt, thrown));
    }

    @Override
    public void failed(String topic, Throwable thrown) {
        isolated(() -> listener.failed(topic, thrown));
    }

    private static void isolated(Runnable notification) {
        try {
            notification.run();
        } catch (Throwable thrown) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
        }
    }
}
