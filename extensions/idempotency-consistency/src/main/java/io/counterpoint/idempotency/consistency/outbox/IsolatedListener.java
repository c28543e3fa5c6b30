package io.counterpoint.idempotency.consistency.outbox;

import io.counterpoint.idempotency.consistency.internal.Isolated;
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
        Isolated.run(() -> listener.published(topic, round));
    }

    @Override
    public void refused(OutboxEvent event, int attempt, Throwable thrown) {
        Isolated.run(() -> listener.refused(event, attempt, thrown));
    }

    @Override
    public void failed(String topic, Throwable thrown) {
        Isolated.run(() -> listener.failed(topic, thrown));
    }
}
