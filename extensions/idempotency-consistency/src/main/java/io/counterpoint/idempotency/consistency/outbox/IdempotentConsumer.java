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
 * <p>Promised: one effect per event and consumer, within the retention. An event that fails is rolled back and its key
 * released, so that it can come again. Condition: the effect is made through the handle. Not promised: anything for an
 * event that comes again after the retention; let that be longer than an event may stay parked.
 *
 * @param <C> the handle that the effect is made with
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
     * A consumer that remembers events for 30 days.
     *
     * @param <C> the handle
     * @param idempotency where it remembers them: in the database of the effect
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
     * @param idempotency where it remembers events: in the database of the effect
     * @param name the consumer's name, of visible characters; it must not change
     * @param retention for how long it remembers an event
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
         * @param handle the transaction; it refuses to be ended
         * @param event the event
         * @throws Exception if it cannot be applied; it is rolled back and comes again
         */
        void apply(C handle, OutboxEvent event) throws Exception;
    }
}
