package io.counterpoint.idempotency.encryption;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/**
 * The header before the ciphertext: the format byte, the length of the key's identifier, and the identifier. It is
 * followed by the nonce, the ciphertext and its tag. The header, the context and the record's key are authenticated.
 */
record Header(String keyId) {

    /** No JSON begins with this byte, and no UTF-8 text with this byte followed by an accepted length. */
    private static final byte FORM = (byte) 0xE1;

    private static final int FIXED = 2;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BYTES = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** Parses a header if the bytes contain a valid key identifier. */
    static Header of(byte[] bytes) {
        boolean complete = bytes.length >= FIXED
                && bytes[0] == FORM
                && bytes[1] > 0
                && bytes.length >= FIXED + bytes[1] + NONCE_BYTES + TAG_BYTES;
        if (!complete) {
            throw new NotEncryptedException("Expected an encrypted result, found " + bytes.length + " other bytes: a"
                    + " codec without encryption wrote them, or they were changed.");
        }
        String keyId = new String(bytes, FIXED, bytes[1], StandardCharsets.US_ASCII);
        if (!ResultEncryption.KEY_ID.matcher(keyId).matches()) {
            throw new NotEncryptedException(
                    "Expected the identifier of an encryption key, found other characters: they were changed.");
        }
        return new Header(keyId);
    }

    byte[] seal(SecretKey key, byte[] context, byte[] plain) throws GeneralSecurityException {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        byte[] header = bytes();
        byte[] sealed = cipher(Cipher.ENCRYPT_MODE, key, nonce, 0, context).doFinal(plain);
        return ByteBuffer.allocate(header.length + NONCE_BYTES + sealed.length)
                .put(header)
                .put(nonce)
                .put(sealed)
                .array();
    }

    byte[] open(SecretKey key, byte[] context, byte[] bytes) {
        int start = FIXED + keyId.length();
        int sealed = start + NONCE_BYTES;
        try {
            return cipher(Cipher.DECRYPT_MODE, key, bytes, start, context)
                    .doFinal(bytes, sealed, bytes.length - sealed);
        } catch (GeneralSecurityException thrown) {
            throw new TamperedException(
                    "A result encrypted with the key \"" + keyId + "\" could not be authenticated: it was changed or"
                            + " moved to another record, the context has changed, or a different key has this"
                            + " identifier.",
                    thrown);
        }
    }

    private Cipher cipher(int mode, SecretKey key, byte[] nonce, int at, byte[] context)
            throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, key, new GCMParameterSpec(8 * TAG_BYTES, nonce, at, NONCE_BYTES), RANDOM);
        cipher.updateAAD(bytes());
        cipher.updateAAD(context);
        return cipher;
    }

    /** Includes its length, so that bytes cannot shift between header and context. */
    private byte[] bytes() {
        byte[] id = keyId.getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(FIXED + id.length)
                .put(FORM)
                .put((byte) id.length)
                .put(id)
                .array();
    }
}
