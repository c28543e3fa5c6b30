package io.counterpoint.idempotency.consistency.outbox;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import java.time.Duration;

/**
 * Applies each event once, no matter how often it is delivered: the event's id is the idempotency key, and its effect
 * commits with the key's record.
 *
 * <p>Guarantees: one effect per event and consumer, within the retention. If an event fails, its effect is rolled back
 * and its key released, so that it can be redelivered. Condition: the effect happens through the handle. Not
 * guaranteed: anything for an event that is redelivered after the retention, so make that longer than an event may stay
 * parked.
 *
 * @param <C> the handle for the effect
 */
public final class IdempotentConsumer<C> implements EventConsumer {

    private final String name;
    private final Operation<C, Done> operation;
    private final Effect<C> effect;

    private IdempotentConsumer(String name, Operation<C, Done> operation, Effect<C> effect) {
        this.name = name;
        this.operation = operation;
        this.effect = effect;
    }

    /**
     * Returns a consumer that remembers events for 30 days.
     *
     * @param <C> the handle
     * @param idempotency remembers events, in the database of the effect
     * @param name the consumer's name, of visible characters; it must not change
     * @param effect what an event does
     * @return the consumer
     */
    public static <C> IdempotentConsumer<C> of(Idempotency<C> idempotency, String name, Effect<C> effect) {
        return of(idempotency, name, Duration.ofDays(30), effect);
    }

    /**
     * A consumer.
     *
     * @param <C> the handle
     * @param idempotency remembers events, in the database of the effect
     * @param name the consumer's name, of visible characters; it must not change
     * @param retention how long it remembers an event
     * @param effect what an event does
     * @return the consumer
     */
    public static <C> IdempotentConsumer<C> of(
            Idempotency<C> idempotency, String name, Duration retention, Effect<C> effect) {
        Operation<C, Done> operation = idempotency
                .operation(name)
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .releaseOn(thrown -> true)
                .retention(retention)
                .build();
        return new IdempotentConsumer<>(name, operation, effect);
    }

    @Override
    public void accept(OutboxEvent event) throws Exception {
        Attempt attempt = Attempt.inScope("outbox")
                .key(event.id().toString())
                .request(event.topic(), event.orderKey().orElse(null), event.payload());
        operation
                .execute(attempt, handle -> {
                    effect.apply(handle, event);
                    return Done.DONE;
                })
                .orElseThrow();
    }

    @Override
    public String toString() {
        return "IdempotentConsumer[" + name + "]";
    }

    /**
     * What an event does.
     *
     * @param <C> the handle
     */
    @FunctionalInterface
    public interface Effect<C> {
        /**
         * Applies an event.
         *
         * @param handle the transaction, which refuses to be ended
         * @param event the event
         * @throws Exception if it cannot be applied; it is rolled back and redelivered
         */
        void apply(C handle, OutboxEvent event) throws Exception;
    }
}
