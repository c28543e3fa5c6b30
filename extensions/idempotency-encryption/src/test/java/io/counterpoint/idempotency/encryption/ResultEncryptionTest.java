package io.counterpoint.idempotency.encryption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.UndecodableException;
import io.counterpoint.idempotency.UnstorableResultException;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

class ResultEncryptionTest {

    private static final SecretKey OLD = key(1);
    private static final SecretKey NEW = key(2);
    private static final ResultEncryption ENCRYPTION = ResultEncryption.writingWith("2026-01", OLD);
    private static final ResultCodec<String> CODEC = ENCRYPTION.around("pay", ResultCodec.string());
    private static final IdempotencyKey KEY =
            IdempotencyKey.inScope("user:1").operation("pay").value("k");
    private static final String SECRET = "IBAN DE02 1203 0000 0000 2020 51";

    @Test
    void whatIsDecryptedEqualsWhatWasEncrypted() throws Exception {
        for (String text : new String[] {"", "x", SECRET, "\u20ac".repeat(20_000)}) {
            assertThat(CODEC.decode(KEY, CODEC.encode(KEY, text))).isEqualTo(text);
        }
    }

    /** Records outlive releases. */
    @Test
    void storedFormStaysReadable() throws Exception {
        byte[] stored = HexFormat.of()
                .parseHex("e107323032362d3031d372541c8084c296d08a73b41ca569b17a9c650b79d22eefbd9fa35117952338623a");
        assertThat(CODEC.decode(KEY, stored)).isEqualTo("result");
    }

    @Test
    void theStoredBytesShowTheKeysNameAndNotTheResult() throws Exception {
        byte[] stored = CODEC.encode(KEY, SECRET);
        assertThat(new String(stored, StandardCharsets.ISO_8859_1))
                .contains("2026-01")
                .doesNotContain("IBAN")
                .doesNotContain("1203");
        assertThat(stored).hasSize(2 + 7 + 12 + SECRET.length() + 16);
    }

    /** As UTF-8 all of them would be one context. */
    @Test
    void contextWithHalfASurrogatePairIsRefused() {
        assertThatThrownBy(() -> ENCRYPTION.around("pay\ud83d", ResultCodec.string()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("an unpaired surrogate");
    }

    @Test
    void everyNonceIsNew() throws Exception {
        Set<String> nonces = new HashSet<>();
        for (int i = 0; i < 2_000; i++) {
            byte[] stored = CODEC.encode(KEY, SECRET);
            nonces.add(Arrays.toString(Arrays.copyOfRange(stored, 9, 21)));
        }
        assertThat(nonces).hasSize(2_000);
    }

    @Test
    void everyChangedBitIsNoticed() throws Exception {
        byte[] stored = CODEC.encode(KEY, "12");
        for (int bit = 0; bit < 8 * stored.length; bit++) {
            byte[] changed = stored.clone();
            changed[bit / 8] ^= (byte) (1 << (bit % 8));
            assertThatThrownBy(() -> CODEC.decode(KEY, changed)).isInstanceOf(ResultEncryptionException.class);
        }
    }

    @Test
    void everyCutIsNoticed() throws Exception {
        byte[] stored = CODEC.encode(KEY, "12");
        for (int length = 0; length < stored.length; length++) {
            byte[] cut = Arrays.copyOf(stored, length);
            assertThatThrownBy(() -> CODEC.decode(KEY, cut)).isInstanceOf(ResultEncryptionException.class);
        }
        assertThatThrownBy(() -> CODEC.decode(KEY, Arrays.copyOf(stored, stored.length + 1)))
                .isInstanceOf(TamperedException.class);
    }

    @Test
    void theNameOfTheKeyIsAuthenticated() throws Exception {
        var twoNames = ENCRYPTION.reading("2026-02", OLD).around("pay", ResultCodec.string());
        byte[] stored = CODEC.encode(KEY, SECRET);
        stored[8] = '2';
        assertThatThrownBy(() -> twoNames.decode(KEY, stored)).isInstanceOf(TamperedException.class);
    }

    @Test
    void aResultOfAnotherContextIsRefused() throws Exception {
        var refund = ENCRYPTION.around("refund", ResultCodec.string());
        assertThatThrownBy(() -> refund.decode(KEY, CODEC.encode(KEY, SECRET)))
                .isInstanceOf(TamperedException.class)
                .message()
                .contains("2026-01")
                .doesNotContain("IBAN");
    }

    @Test
    void resultThatWasMovedToAnotherRecordIsNoticed() throws Exception {
        byte[] stored = CODEC.encode(KEY, SECRET);
        for (IdempotencyKey other : List.of(
                IdempotencyKey.inScope("user:2").operation("pay").value("k"),
                IdempotencyKey.inScope("user:1").operation("refund").value("k"),
                IdempotencyKey.inScope("user:1").operation("pay").value("l"))) {
            assertThatThrownBy(() -> CODEC.decode(other, stored))
                    .isInstanceOf(TamperedException.class)
                    .hasMessageContaining("could not be authenticated");
        }
    }

    /** The limit that the documentation states. */
    @Test
    void oldResultOfTheRecordThatWasPutBackIsNotNoticed() throws Exception {
        byte[] old = CODEC.encode(KEY, "old");
        assertThat(CODEC.encode(KEY, "new")).isNotEqualTo(old);
        assertThat(CODEC.decode(KEY, old)).isEqualTo("old");
    }

    @Test
    void codecAroundItThatDropsTheKeyIsRefusedBeforeAnythingIsStored() {
        ResultCodec<String> around = ResultCodec.of(CODEC::encode, CODEC::decode);
        var operation = Idempotency.on(new InMemoryIdempotencyStore())
                .operation("pay", around)
                .build();
        assertThatThrownBy(() ->
                        operation.execute(Attempt.inScope("user:1").key("k").request("r"), handle -> SECRET))
                .isInstanceOf(UnstorableResultException.class)
                .hasCauseInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void keysAreRotated() throws Exception {
        byte[] old = CODEC.encode(KEY, SECRET);
        var readsBoth = ENCRYPTION.reading("2026-07", NEW).around("pay", ResultCodec.string());
        var writesNew = ResultEncryption.writingWith("2026-07", NEW)
                .reading("2026-01", OLD)
                .around("pay", ResultCodec.string());
        var forgotOld = ResultEncryption.writingWith("2026-07", NEW).around("pay", ResultCodec.string());
        assertThat(readsBoth.decode(KEY, writesNew.encode(KEY, SECRET))).isEqualTo(SECRET);
        assertThat(CODEC.decode(KEY, readsBoth.encode(KEY, SECRET))).isEqualTo(SECRET);
        assertThat(writesNew.decode(KEY, old)).isEqualTo(SECRET);
        assertThat(forgotOld.decode(KEY, writesNew.encode(KEY, SECRET))).isEqualTo(SECRET);
        assertThatThrownBy(() -> forgotOld.decode(KEY, old))
                .isInstanceOfSatisfying(
                        UnknownKeyException.class,
                        thrown -> assertThat(thrown.keyId()).isEqualTo("2026-01"))
                .hasMessage("The result is encrypted with the key \"2026-01\", but only [2026-07] are known. Add that"
                        + " key with reading(…).");
    }

    /** The identifier is not authenticated: who writes rows could forge a line of the log with it. */
    @Test
    void nameOfAKeyThatCanBeNoneIsNotShown() throws Exception {
        byte[] forged = CODEC.encode(KEY, SECRET);
        forged[3] = '\n';
        assertThatThrownBy(() -> CODEC.decode(KEY, forged))
                .isInstanceOf(NotEncryptedException.class)
                .message()
                .doesNotContain("\n", "2");
    }

    @Test
    void anotherKeyOfTheSameNameIsNoticed() throws Exception {
        var other = ResultEncryption.writingWith("2026-01", NEW).around("pay", ResultCodec.string());
        assertThatThrownBy(() -> other.decode(KEY, CODEC.encode(KEY, SECRET))).isInstanceOf(TamperedException.class);
    }

    @Test
    void aPlainResultIsRefused() {
        assertThatThrownBy(() -> CODEC.decode(KEY, "{\"version\":1,\"result\":1}".getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(NotEncryptedException.class)
                .hasMessageStartingWith("Expected an encrypted result, found 24 other bytes: ");
    }

    @Test
    void unfitKeysAreRefusedAtOnce() {
        for (SecretKey unfit :
                new SecretKey[] {new SecretKeySpec(new byte[16], "AES"), new SecretKeySpec(new byte[32], "ChaCha20")}) {
            assertThatThrownBy(() -> ResultEncryption.writingWith("k", unfit))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("256 bits, found " + unfit.getAlgorithm());
        }
        for (String id : new String[] {"", "a b", "\u00e9", "x".repeat(101)}) {
            assertThatThrownBy(() -> ResultEncryption.writingWith(id, OLD))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> ENCRYPTION.reading("2026-01", NEW)).isInstanceOf(IllegalArgumentException.class);
        assertThat(ENCRYPTION.toString()).isEqualTo("ResultEncryption[writes 2026-01, reads [2026-01]]");
    }

    @Test
    void aReplayIsDecryptedAndALostKeyNeverRunsTheWorkAgain() {
        var store = new InMemoryIdempotencyStore();
        var attempt = Attempt.inScope("user:1").key("k").request("r");
        var first = Idempotency.on(store).operation("pay", CODEC).build();
        assertThat(first.execute(attempt, handle -> SECRET)).isInstanceOf(Outcome.Executed.class);
        assertThat(first.execute(attempt, handle -> "another").orElseThrow()).isEqualTo(SECRET);
        var other = ResultEncryption.writingWith("2026-07", NEW).around("pay", ResultCodec.string());
        var second = Idempotency.on(store).operation("pay", other).build();
        assertThatThrownBy(() -> second.execute(attempt, handle -> {
                    throw new AssertionError("The work ran again.");
                }))
                .isInstanceOf(UndecodableException.class)
                .hasCauseInstanceOf(UnknownKeyException.class);
    }

    private static SecretKey key(int seed) {
        byte[] bytes = new byte[32];
        Arrays.fill(bytes, (byte) seed);
        return new SecretKeySpec(bytes, "AES");
    }
}
