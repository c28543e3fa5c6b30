package io.counterpoint.idempotency.examples.appplatform.execution;

import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher;
import java.util.function.Consumer;

/** Logs events that could not be published. */
public record EventLog(Consumer<String> log) implements OutboxPublisher.Listener {

    @Override
    public void refused(OutboxEvent event, int attempt, Throwable thrown) {
        log.accept(event + " was refused, attempt " + attempt + ": " + thrown);
    }

    @Override
    public void failed(String topic, Throwable thrown) {
        log.accept("outbox topic " + topic + ": " + thrown);
    }
}
