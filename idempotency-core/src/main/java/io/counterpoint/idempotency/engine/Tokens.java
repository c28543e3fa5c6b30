package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.spi.IdempotencyRecord;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The tokens that one call has written or tried to write. A record with one of them is this call's own. */
final class Tokens {

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private @Nullable UUID latest;
    private List<UUID> earlier = List.of();

    /** Makes a token of 128 random bits, and remembers it. */
    UUID fresh() {
        byte[] bits = new byte[16];
        RANDOM.nextBytes(bits);
        UUID token = new UUID((long) LONGS.get(bits, 0), (long) LONGS.get(bits, Long.BYTES));
        if (latest != null) {
            earlier = new ArrayList<>(earlier);
            earlier.add(latest);
        }
        latest = token;
        return token;
    }

    boolean isOwn(IdempotencyRecord record) {
        return record.token().equals(latest) || earlier.contains(record.token());
    }

    UUID latest() {
        if (latest == null) {
            throw new IllegalStateException("Asked for the token of a call that has made none.");
        }
        return latest;
    }

    List<UUID> all() {
        if (latest == null) {
            return List.of();
        }
        List<UUID> tokens = new ArrayList<>(earlier);
        tokens.add(latest);
        return tokens;
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
