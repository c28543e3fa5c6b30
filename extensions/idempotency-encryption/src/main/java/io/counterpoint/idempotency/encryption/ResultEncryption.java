package io.counterpoint.idempotency.encryption;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.spi.Characters;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.crypto.SecretKey;

/**
 * Encrypts stored results and plans with AES-256 in GCM mode, as a codec that wraps another codec. One key encrypts,
 * several keys decrypt, so that keys can be rotated.
 *
 * <p>The result is encrypted and authenticated. Its length and all other columns (scope, key, operation, state and
 * failure) are not encrypted. The authentication also covers the identifier of the encryption key, the scope, operation
 * and key of the record, and the context passed to {@link #around}. A result that was moved to another record is
 * therefore detected. <strong>An old result of the same record that was restored is not.</strong>
 *
 * <p>Each result gets a random 96-bit nonce. Replace a key before it has encrypted 2<sup>32</sup> results.
 *
 * <p>Immutable, and thread-safe if the security provider's keys are.
 */
public final class ResultEncryption {

    static final Pattern KEY_ID = Pattern.compile("[!-~]{1,100}");
    private static final int KEY_BYTES = 32;

    private final String writing;
    private final Map<String, SecretKey> keys;

    private ResultEncryption(String writing, Map<String, SecretKey> keys) {
        this.writing = writing;
        this.keys = keys;
    }

    /**
     * Returns an encryption that encrypts and decrypts with one key.
     *
     * @param keyId the key's identifier, which is stored in the clear: 1 to 100 visible ASCII characters
     * @param key a 256-bit AES key
     * @return the encryption
     * @throws IllegalArgumentException if the identifier or the key is invalid
     */
    public static ResultEncryption writingWith(String keyId, SecretKey key) {
        return new ResultEncryption(keyId, Map.of()).with(keyId, key);
    }

    /**
     * Adds a key that decrypts older results. To rotate keys, first let every node decrypt with the new key, then let
     * every node encrypt with it, and remove the old key once the retention has passed.
     *
     * @param keyId the key's identifier
     * @param key a 256-bit AES key
     * @return the encryption that can also decrypt with this key
     * @throws IllegalArgumentException if the identifier or the key is invalid, or the identifier is already used
     */
    public ResultEncryption reading(String keyId, SecretKey key) {
        return with(keyId, key);
    }

    /**
     * Returns a codec that encrypts what another codec encodes.
     *
     * <p>Its {@code decode} throws {@link ResultEncryptionException}, so the call throws
     * {@code UndecodableException}: the work never runs again.
     *
     * @param <R> the type of the result
     * <p>The codec requires the key of the record: without a key, {@code encode} and {@code decode} throw {@link
     * UnsupportedOperationException}. A codec that wraps it must pass the key on.
     *
     * @param context authenticated with each result but not stored, such as the name of the application. Results that
     *     were encrypted in one context cannot be decrypted in another, so it must not change while records exist
     * @param codec the codec of the results
     * @return the codec that encrypts
     * @throws IllegalArgumentException if the context contains an unpaired surrogate
     */
    public <R> ResultCodec<R> around(String context, ResultCodec<R> codec) {
        Characters.utf8(context);
        return new Encrypted<>(context, Objects.requireNonNull(codec, "codec"));
    }

    private final class Encrypted<R> implements ResultCodec<R> {
        private final String context;
        private final ResultCodec<R> codec;

        Encrypted(String context, ResultCodec<R> codec) {
            this.context = context;
            this.codec = codec;
        }

        @Override
        public byte[] encode(IdempotencyKey key, R result) throws Exception {
            Header header = new Header(writing);
            return header.seal(secretKey(writing), associated(key), codec.encode(key, result));
        }

        @Override
        public R decode(IdempotencyKey key, byte[] bytes) throws Exception {
            Header header = Header.of(bytes);
            return codec.decode(key, header.open(secretKey(header.keyId()), associated(key), bytes));
        }

        /** No part of a key contains the separator. */
        private byte[] associated(IdempotencyKey key) {
            return Characters.utf8(String.join("\0", context, key.scope(), key.operation(), key.value()));
        }

        @Override
        public byte[] encode(R result) {
            throw withoutKey();
        }

        @Override
        public R decode(byte[] bytes) {
            throw withoutKey();
        }

        private UnsupportedOperationException withoutKey() {
            return new UnsupportedOperationException(
                    "A result can be encrypted only with the key of its record, but none was passed. A codec that"
                            + " wraps this one must override encode(key, result) and decode(key, bytes).");
        }
    }

    private SecretKey secretKey(String keyId) {
        SecretKey key = keys.get(keyId);
        if (key == null) {
            throw new UnknownKeyException(
                    keyId,
                    "The result is encrypted with the key \"" + keyId + "\", but only " + keys.keySet() + " are"
                            + " known. Add that key with reading(…).");
        }
        return key;
    }

    private ResultEncryption with(String keyId, SecretKey key) {
        if (!KEY_ID.matcher(keyId).matches()) {
            throw new IllegalArgumentException(
                    "The identifier of an encryption key must be 1 to 100 visible ASCII characters.");
        }
        if (keys.containsKey(keyId)) {
            throw new IllegalArgumentException("Two encryption keys have the identifier \"" + keyId + "\".");
        }
        requireAes256(keyId, key);
        var more = new TreeMap<>(keys);
        more.put(keyId, key);
        return new ResultEncryption(writing, more);
    }

    private static void requireAes256(String keyId, SecretKey key) {
        byte[] encoded = key.getEncoded();
        // A key inside a hardware module has no encoded form: its provider is responsible for its length.
        boolean wrongLength = encoded != null && encoded.length != KEY_BYTES;
        if (encoded != null) {
            Arrays.fill(encoded, (byte) 0);
        }
        if (wrongLength || !"AES".equals(key.getAlgorithm())) {
            throw new IllegalArgumentException("The encryption key \"" + keyId + "\" must be an AES key of "
                    + 8 * KEY_BYTES + " bits, found " + key.getAlgorithm()
                    + (wrongLength ? " and " + 8 * encoded.length + " bits." : "."));
        }
    }

    /** Returns the identifiers of the keys, never a key. */
    @Override
    public String toString() {
        return "ResultEncryption[writes " + writing + ", reads " + keys.keySet() + "]";
    }
}
