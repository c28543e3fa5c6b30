package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import java.time.Duration;
import java.util.Optional;

/** A subject that concerns abandoned keys. */
abstract class ArbitrationContractTest<C> extends OperationContractTest<C> {

    /** The shortest grace: in the store's time any record is older than that. */
    static final Duration NONE = Duration.ofNanos(1);

    ArbitrationContractTest(OperationFixture<C> fixture) {
        super(fixture);
    }

    final TestOperation.Builder<C> failing() {
        return caller().inDatabase(operation -> operation.whenAbandoned(Operation.Abandoned.FAIL, NONE));
    }

    final TestOperation.Builder<C> takingOver() {
        return caller().inDatabase(operation -> operation.whenAbandoned(Operation.Abandoned.TAKE_OVER, NONE));
    }

    final Pending abandoned(String value, Optional<String> plan) {
        Pending record = pendingOfAnother(key(value), Protocol.CLAIM_FIRST, plan);
        letTimePass(Duration.ofNanos(1000));
        return record;
    }
}
