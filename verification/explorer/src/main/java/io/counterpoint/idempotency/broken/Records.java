package io.counterpoint.idempotency.broken;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.RecordSteps;
import java.time.Duration;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** Queries of records, and changes to records that the engine does not know about. */
final class Records {

    private Records() {}

    static boolean isPending(IdempotencyRecord record) {
        return record.fold(pending -> true, succeeded -> false, failed -> false);
    }

    static boolean isFailed(IdempotencyRecord record) {
        return record.fold(pending -> false, succeeded -> false, failed -> true);
    }

    /** The token that a record has now, for steps that ignore the given one. */
    static UUID tokenOf(RecordSteps steps, IdempotencyKey key, UUID otherwise) {
        return steps.read(key).map(IdempotencyRecord::token).orElse(otherwise);
    }

    static boolean isPendingForLongerThan(Duration age, IdempotencyRecord record) {
        return record.fold(pending -> pending.age().compareTo(age) > 0, succeeded -> false, failed -> false);
    }

    /** Changes a pending record, and leaves any other as it is. */
    static IdempotencyRecord changed(IdempotencyRecord record, UnaryOperator<Pending> change) {
        return record.fold(change, succeeded -> succeeded, failed -> failed);
    }

    static Pending withProtocol(Pending pending, Protocol protocol) {
        return new Pending(
                pending.key(), protocol, pending.token(), pending.fingerprint(), pending.plan(), pending.age());
    }
}
