package io.counterpoint.idempotency.spring;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.ForwardingRecordSteps;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.RecordSteps;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The steps of a transaction that Spring joins: what Spring holds back is written before the commit. */
final class JoinedSteps extends ForwardingRecordSteps {

    private final SpringScope scope;
    private boolean refused;

    JoinedSteps(RecordSteps real, SpringScope scope) {
        super(real);
        this.scope = scope;
    }

    @Override
    public LastStep.Result commitWith(LastStep step) {
        scope.prepareOnce();
        LastStep.Result result = real.commitWith(step);
        refused = result != LastStep.Result.DONE;
        return result;
    }

    /** Whether the last step lets nothing be committed. */
    boolean isRefused() {
        return refused;
    }

    @Override
    public Map<IdempotencyKey, IdempotencyRecord> readAll(List<IdempotencyKey> keys) {
        return real.readAll(keys);
    }

    @Override
    public Map<IdempotencyKey, IdempotencyRecord> claimAll(
            List<? extends IdempotencyRecord> records, Duration retention, Duration lockWait) {
        return real.claimAll(records, retention, lockWait);
    }
}
