package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.spi.IdempotencyRecord;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The tokens that one call has written or tried to write: 128 random bits, and the numbers after them. A record with one
 * of them is this call's own.
 */
final class Tokens {

    private static final SecureRandom RANDOM = new SecureRandom();

    private @Nullable UUID first;
    private int count;

    /** Creates a token that neither another call nor this one has used. */
    UUID fresh() {
        UUID random = first == null ? random() : first;
        first = random;
        count++;
        return new Range(random, count).latest();
    }

    private static UUID random() {
        ByteBuffer bits = ByteBuffer.allocate(2 * Long.BYTES);
        RANDOM.nextBytes(bits.array());
        return new UUID(bits.getLong(), bits.getLong());
    }

    boolean isOwn(IdempotencyRecord record) {
        return first != null && new Range(first, count).contains(record.token());
    }

    /** All tokens so far; empty if this call has created none. */
    Optional<Range> all() {
        return first == null ? Optional.empty() : Optional.of(new Range(first, count));
    }

    UUID latest() {
        return all().orElseThrow().latest();
    }

    /**
     * A token and the numbers that follow it. They count in the leading digits, so that people can tell the tokens
     * apart.
     */
    record Range(UUID first, int count) {

        private static final int COUNTS_FROM = 32;

        boolean contains(UUID token) {
            long distance = token.getMostSignificantBits() - first.getMostSignificantBits();
            long number = distance >>> COUNTS_FROM;
            return token.getLeastSignificantBits() == first.getLeastSignificantBits()
                    && number << COUNTS_FROM == distance
                    && number < count;
        }

        UUID latest() {
            if (count == 1) {
                return first;
            }
            long number = count - 1L;
            return new UUID(first.getMostSignificantBits() + (number << COUNTS_FROM), first.getLeastSignificantBits());
        }
    }

    static boolean isTerminal(IdempotencyRecord record) {
        return record.fold(pending -> false, succeeded -> true, failed -> true);
    }

    static boolean isPending(IdempotencyRecord record, UUID token) {
        return record.token().equals(token) && record.fold(pending -> true, succeeded -> false, failed -> false);
    }

    static boolean isSucceeded(IdempotencyRecord record, UUID token) {
        return record.token().equals(token) && record.fold(pending -> false, succeeded -> true, failed -> false);
    }

    static boolean isFailed(IdempotencyRecord record, UUID token) {
        return record.token().equals(token) && record.fold(pending -> false, succeeded -> false, failed -> true);
    }
}
