package io.counterpoint.idempotency;

import io.counterpoint.idempotency.spi.Characters;
import java.io.Serializable;
import java.security.MessageDigest;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The name of one attempt: who may see its result, which operation it is for, and the value that the client chose.
 *
 * <p>Equal keys name the same attempt; nothing is trimmed, folded or normalised. Each part has 1 to {@value
 * #MAX_LENGTH} visible characters: no white space, control, formatting or private-use characters, and no unpaired
 * surrogates. The rejected ranges are fixed, so every JDK accepts the same keys. Characters that Unicode defines later
 * are accepted. {@link #toString()} never shows the scope or the value.
 *
 * <p>{@code IdempotencyKey.inScope("user:42").operation("create-group").value(requestKey)} names each part, so they
 * cannot be mixed up.
 */
public final class IdempotencyKey implements Comparable<IdempotencyKey>, Serializable {

    private static final long serialVersionUID = 1L;

    /** The maximum length of each part, in {@code char}s. */
    public static final int MAX_LENGTH = 255;

    private static final int MAX_KIND = 100;

    private static final Comparator<IdempotencyKey> ORDER = Comparator.comparing(IdempotencyKey::scope)
            .thenComparing(IdempotencyKey::operation)
            .thenComparing(IdempotencyKey::value);

    /** Who may see the result. */
    private final String scope;

    /** The name of the operation. */
    private final String operation;

    /** What the client sent. */
    private final String value;

    /** Each part has been checked. */
    IdempotencyKey(String scope, String operation, String value) {
        this.scope = scope;
        this.operation = operation;
        this.value = value;
    }

    /**
     * Starts with the scope.
     *
     * @param scope who may see the result, including its kind so that scopes of different kinds cannot collide: {@code
     *     user:42}
     * @return the next step
     * @throws InvalidKeyException if it is empty, too long, or has a character that is not visible
     */
    public static InScope inScope(String scope) {
        return new InScope(VisibleCharacters.require("scope", scope));
    }

    /** {@return who may see the result, including the kind} */
    public String scope() {
        return scope;
    }

    /** {@return the name of the operation} */
    public String operation() {
        return operation;
    }

    /** {@return what the client sent; it names one attempt, not an intention} */
    public String value() {
        return value;
    }

    /**
     * Returns the scope of an authenticated party: {@code user:42} for the kind {@code user} and the name {@code 42}.
     *
     * <p>A name that contains anything other than visible ASCII characters, or that exceeds {@value #MAX_LENGTH}
     * characters together with its kind, yields {@code user-sha256:} and a digest of the name. A name therefore has the
     * same scope in every process, on any JDK.
     *
     * @param kind a constant of the application, of up to 100 visible ASCII characters
     * @param name the name of the authenticated party
     * @return the scope; empty for a name without a visible character, because everyone with such a name would share
     *     their keys
     * @throws InvalidKeyException if the name contains an unpaired surrogate, or the kind is not acceptable
     */
    public static Optional<String> scopeOf(String kind, String name) {
        if (kind.isEmpty() || kind.length() > MAX_KIND || !isVisibleAscii(kind)) {
            throw new InvalidKeyException(
                    "The kind of a scope must be 1 to " + MAX_KIND + " visible ASCII characters, found " + kind.length()
                            + " characters" + (isVisibleAscii(kind) ? "." : ", including others."));
        }
        if (name.codePoints().noneMatch(VisibleCharacters::isVisible)) {
            return Optional.empty();
        }
        if (isVisibleAscii(name) && kind.length() + 1 + name.length() <= MAX_LENGTH) {
            return Optional.of(kind + ":" + name);
        }
        try {
            return Optional.of(kind + "-sha256:"
                    + HexFormat.of().formatHex(Fingerprint.ofParts(name).toBytes()));
        } catch (IllegalArgumentException unencodable) {
            throw new InvalidKeyException(
                    "The name of an authenticated party contains an unpaired surrogate or is too long for a request,"
                            + " so no scope can be made from it. Nothing was claimed or changed.");
        }
    }

    private static boolean isVisibleAscii(String text) {
        return text.chars().allMatch(character -> character > 0x20 && character < 0x7f);
    }

    /**
     * Returns a digest of the whole key, which is safe to log and to derive a downstream key from. The same key has
     * the same hash in every process and every version.
     *
     * @return 64 lower-case hexadecimal digits of SHA-256
     */
    public String hash() {
        MessageDigest digest = Fingerprint.sha256();
        for (String part : new String[] {scope, operation, value}) {
            byte[] bytes = Characters.utf8(part);
            digest.update(Fingerprint.length(bytes.length));
            digest.update(bytes);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /**
     * Compares scope, operation and value, in this order, as {@link String}s. All callers lock several records in this
     * order.
     */
    @Override
    public int compareTo(IdempotencyKey other) {
        return ORDER.compare(this, other);
    }

    /** The operation and the first 16 digits of the {@link #hash()}. */
    @Override
    public String toString() {
        return operation + "#" + hash().substring(0, 16);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof IdempotencyKey key
                && scope.equals(key.scope)
                && operation.equals(key.operation)
                && value.equals(key.value);
    }

    @Override
    public int hashCode() {
        // Computed several times per call, so avoid the array that Objects.hash allocates.
        return 31 * (31 * scope.hashCode() + operation.hashCode()) + value.hashCode();
    }

    /**
     * Validates a deserialized key like any other.
     *
     * @return an equal key
     */
    private Object readResolve() {
        return inScope(scope).operation(operation).value(value);
    }

    /** A key that has its scope and needs its operation. */
    public static final class InScope {
        private final String scope;

        private InScope(String scope) {
            this.scope = scope;
        }

        /**
         * Adds the name of the operation.
         *
         * @param name such as {@code create-group}
         * @return the next step
         * @throws InvalidKeyException as {@link IdempotencyKey#inScope}
         */
        public OfOperation operation(String name) {
            return new OfOperation(scope, VisibleCharacters.require("operation", name));
        }
    }

    /** A key that has its operation and needs its value. */
    public static final class OfOperation {
        private final String scope;
        private final String operation;

        private OfOperation(String scope, String operation) {
            this.scope = scope;
            this.operation = operation;
        }

        /**
         * Adds the value that the client chose.
         *
         * @param value what the client sent; it names one attempt, not an intention
         * @return the key
         * @throws InvalidKeyException as {@link IdempotencyKey#inScope}
         */
        public IdempotencyKey value(String value) {
            return new IdempotencyKey(scope, operation, VisibleCharacters.require("value", value));
        }
    }
}
