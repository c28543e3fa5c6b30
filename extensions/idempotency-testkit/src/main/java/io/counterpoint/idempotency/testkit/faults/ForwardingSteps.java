package io.counterpoint.idempotency.testkit.faults;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.ForwardingRecordSteps;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.RecordSteps;
import java.util.UUID;

/**
 * The steps of an {@link InterceptingStore}, all forwarded. The mark before the commit calls {@link #succeed}, so
 * overriding that affects both.
 */
public class ForwardingSteps extends ForwardingRecordSteps {

    /**
     * Creates steps that forward to those of a transaction.
     *
     * @param real the steps that do the work
     */
    public ForwardingSteps(RecordSteps real) {
        super(real);
    }

    /**
     * Returns the current token of a record, for steps that ignore the given one.
     *
     * @param key the key
     * @param otherwise the token if there is no record
     * @return the token
     */
    protected UUID tokenOf(IdempotencyKey key, UUID otherwise) {
        return real.read(key).map(IdempotencyRecord::token).orElse(otherwise);
    }

    @Override
    public LastStep.Result commitWith(LastStep step) {
        return step.fold(
                one -> commitIfDone(step, one.key()),
                all -> commitIfDone(step, all.successes().get(0).key()),
                real::commitWith,
                real::commitWith,
                real::commitWith);
    }

    private LastStep.Result commitIfDone(LastStep step, IdempotencyKey key) {
        return step.doneBy(this, insert -> false)
                ? real.commitWith(new LastStep.RequireNotEnded(key))
                : LastStep.Result.NOT_MINE;
    }
}
