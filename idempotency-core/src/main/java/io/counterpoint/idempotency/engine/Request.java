package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import java.util.List;

/**
 * The request of one call.
 *
 * @param key the key
 * @param fingerprint the fingerprint of the request, which is stored in new records
 * @param former other fingerprints of the same request, which older records may have
 */
public record Request(IdempotencyKey key, Fingerprint fingerprint, List<Fingerprint> former) {

    boolean matches(IdempotencyRecord record) {
        return record.fingerprint().equals(fingerprint) || former.contains(record.fingerprint());
    }
}
