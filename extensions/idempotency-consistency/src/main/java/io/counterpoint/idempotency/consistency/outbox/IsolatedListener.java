package io.counterpoint.idempotency.consistency.outbox;

import io.counterpoint.idempotency.consistency.internal.Isolated;
import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher.Listener;
import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher.Round;
import java.util.List;

/** Isolates the publisher from exceptions of listeners. */
final class IsolatedListener implements Listener {

    private final List<Listener> listeners;

    IsolatedListener(List<Listener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    @Override
    public void published(String topic, Round round) {
        listeners.forEach(listener -> Isolated.run(() -> listener.published(topic, round)));
    }

    @Override
    public void refused(OutboxEvent event, int attempt, Throwable thrown) {
        listeners.forEach(listener -> Isolated.run(() -> listener.refused(event, attempt, thrown)));
    }

    @Override
    public void failed(String topic, Throwable thrown) {
        listeners.forEach(listener -> Isolated.run(() -> listener.failed(topic, thrown)));
    }
}
