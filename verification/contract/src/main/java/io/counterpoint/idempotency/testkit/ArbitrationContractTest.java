package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import java.time.Duration;
import java.util.Optional;

/** Base class of tests about abandoned keys. */
abstract class ArbitrationContractTest<C> extends OperationContractTest<C> {

    /** The shortest grace period. By the store's clock, every record is older. */
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
