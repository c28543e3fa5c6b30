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
 * <p>Promised: one effect per event and consumer, within the retention period. An event that fails is rolled back and
 * its key released, so that it can be redelivered. Condition: the effect is made through the handle. Not promised:
 * anything for an event that is redelivered after the retention period, which should be longer than an event may stay
 * parked.
 *
 * @param <C> the handle through which the effect is made
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
     * Creates a consumer that remembers events for 30 days.
     *
     * @param <C> the handle
     * @param idempotency remembers events, in the database of the effect
     * @param name the consumer's name, consisting of visible characters; it must not change
     * @param effect applies an event
     * @return the consumer
     */
    public static <C> IdempotentConsumer<C> of(Idempotency<C> idempotency, String name, Effect<C> effect) {
        return of(idempotency, name, Duration.ofDays(30), effect);
    }

    /**
     * Creates a consumer.
     *
     * @param <C> the handle
     * @param idempotency remembers events, in the database of the effect
     * @param name the consumer's name, consisting of visible characters; it must not change
     * @param retention how long it remembers an event
     * @param effect applies an event
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
     * Applies events.
     *
     * @param <C> the handle
     */
    @FunctionalInterface
    public interface Effect<C> {
        /**
         * Applies an event.
         *
         * @param handle the transaction; it cannot be used to end it
         * @param event the event
         * @throws Exception if it cannot be applied; it is rolled back and redelivered
         */
        void apply(C handle, OutboxEvent event) throws Exception;
    }
}
