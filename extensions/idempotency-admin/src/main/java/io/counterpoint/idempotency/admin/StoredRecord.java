package io.counterpoint.idempotency.admin;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A record as the table has it. Its text shows neither scope, key, payload nor the failure's message.
 *
 * @param key the key; show {@link IdempotencyKey#hash()} instead of it
 * @param protocol the letter of the column: C claim first, S single transaction, E external
 * @param state the letter of the column: P pending, S succeeded, F failed
 * @param payload the plan while pending, the result once succeeded
 * @param failure why the attempt failed, if it did
 * @param createdAt when the key was claimed, by the database's clock
 * @param updatedAt when the record last changed
 * @param expiresAt when the purge may take it
 * @param unchangedFor the time since the last change, by the database's clock
 */
public record StoredRecord(
        IdempotencyKey key,
        String protocol,
        String state,
        Optional<Payload> payload,
        Optional<Failure> failure,
        Instant createdAt,
        Instant updatedAt,
        Instant expiresAt,
        Duration unchangedFor) {

    /**
     * Whether the attempt has not ended.
     *
     * @return true in state P
     */
    public boolean isPending() {
        return state.equals("P");
    }

    /**
     * Whether the effect is elsewhere, so that only a lookup or an operator can end the attempt.
     *
     * @return true for protocol E
     */
    public boolean isExternal() {
        return protocol.equals("E");
    }

    @Override
    public String toString() {
        return "StoredRecord[" + key + ", " + protocol + ", " + state + ", unchanged for " + unchangedFor + "]";
    }
}
