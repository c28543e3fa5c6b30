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
 * @param protocol the letter of the column: C claim first, S single transaction, E external, T external with a follow-up, K
 *     follow-up owed, B follow-up broken off
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
     * @return true for protocols E, T, K and B
     */
    public boolean isExternal() {
        return protocol.equals("E") || hasFollowUp();
    }

    /**
     * Whether what follows the external effect commits with its record, so that only an application with that follow-up
     * can end the attempt.
     *
     * @return true for protocols T, K and B
     */
    public boolean hasFollowUp() {
        return "TKB".contains(protocol);
    }

    /** Whether an operator may end it: an external attempt, or a transaction that its work has ended by SQL text. */
    boolean isResolvable() {
        return isExternal() || (isPending() && protocol.equals("S"));
    }

    /**
     * What a letter means.
     *
     * @param protocol the letter of the column
     * @return words; the letter itself if this version does not know it
     */
    public static String inWords(String protocol) {
        return switch (protocol) {
            case "C" -> "claim first";
            case "S" -> "single transaction";
            case "E" -> "external";
            case "T" -> "external with follow-up";
            case "K" -> "follow-up owed";
            case "B" -> "follow-up broken off";
            default -> protocol;
        };
    }

    @Override
    public String toString() {
        return "StoredRecord[" + key + ", " + protocol + ", " + state + ", unchanged for " + unchangedFor + "]";
    }
}
