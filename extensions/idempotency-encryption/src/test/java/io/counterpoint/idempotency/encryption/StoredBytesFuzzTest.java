package io.counterpoint.idempotency.encryption;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.ResultCodec;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** Stored bytes that somebody has changed, made from a seed: {@code -Dfuzz.seed=7} makes others. */
class StoredBytesFuzzTest {

    private static final long SEED = Long.getLong("fuzz.seed", 20260103L);
    private static final int INPUTS = Integer.getInteger("fuzz.inputs", 50_000);
    private static final ResultEncryption ENCRYPTION = encryption();
    private static final List<ResultCodec<String>> CODECS = List.of(
            ENCRYPTION.around("pay", ResultCodec.string()),
            ENCRYPTION.around("", ResultCodec.string()),
            ENCRYPTION.around("pay\0user:1", ResultCodec.string()));
    private static final List<IdempotencyKey> KEYS = List.of(
            IdempotencyKey.inScope("user:1").operation("pay").value("k"),
            IdempotencyKey.inScope("user:1").operation("pay").value("kk"),
            IdempotencyKey.inScope("pay").operation("user:1").value("k"),
            IdempotencyKey.inScope("user:1p").operation("ay").value("k"),
            IdempotencyKey.inScope("user:1").operation("pa").value("yk"));

    private final Random random = new Random(SEED);

    private static ResultEncryption encryption() {
        byte[] other = new byte[32];
        other[31] = 1;
        return ResultEncryption.writingWith("a", new SecretKeySpec(new byte[32], "AES"))
                .reading("b", new SecretKeySpec(other, "AES"));
    }

    /** A result, and how it is read: by another codec, with another key, or with changed bytes. */
    @Test
    void otherBytesOfAnyRecordAreNoResult() throws Exception {
        int read = 0;
        for (int input = 0; input < INPUTS; input++) {
            int codec = random.nextInt(CODECS.size());
            int key = random.nextInt(KEYS.size());
            String result = "x".repeat(random.nextInt(40));
            byte[] stored = CODECS.get(codec).encode(KEYS.get(key), result);
            byte[] found = random.nextInt(8) == 0 ? stored : changed(stored);
            int by = random.nextInt(2) == 0 ? codec : random.nextInt(CODECS.size());
            int as = random.nextInt(2) == 0 ? key : random.nextInt(KEYS.size());
            String where =
                    "seed " + SEED + ", input " + input + ": " + HexFormat.of().formatHex(found);
            try {
                String decoded = CODECS.get(by).decode(KEYS.get(as), found);
                assertThat(decoded).as(where).isEqualTo(result);
                assertThat(found).as(where).isEqualTo(stored);
                assertThat(List.of(by, as)).as(where).isEqualTo(List.of(codec, key));
                read++;
            } catch (ResultEncryptionException refused) {
                boolean same = Arrays.equals(found, stored) && by == codec && as == key;
                assertThat(same).as(where).isFalse();
            }
        }
        assertThat(read).isPositive();
    }

    private byte[] changed(byte[] stored) {
        byte[] changed = switch (random.nextInt(5)) {
            case 0 -> new byte[random.nextInt(80)];
            case 1 -> Arrays.copyOf(stored, random.nextInt(stored.length + 20));
            case 2 -> Arrays.copyOfRange(stored, random.nextInt(stored.length), stored.length);
            default -> stored.clone();
        };
        if (changed.length > 0 && random.nextInt(4) == 0) {
            random.nextBytes(changed);
        }
        // Mostly in the header, which is read before anything is authenticated.
        for (int changes = random.nextInt(3); changes >= 0 && changed.length > 0; changes--) {
            changed[random.nextInt(random.nextBoolean() ? Math.min(4, changed.length) : changed.length)] =
                    (byte) random.nextInt(256);
        }
        return changed;
    }
}
