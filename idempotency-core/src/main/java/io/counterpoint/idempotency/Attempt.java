package io.counterpoint.idempotency;

import io.counterpoint.idempotency.engine.Request;
import io.counterpoint.idempotency.internal.CallEffects;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One attempt as it arrives: who asks, under which key, with which request.
 *
 * <p>{@code Attempt.in("user:42").key(requestKey).request(command.name(), command.members())}. It belongs to no
 * operation yet: {@link Operation#keyOf} adds the name. Immutable; {@link #toString()} shows digests of key and request.
 */
public final class Attempt {

    private final String scope;
    private final String value;
    private final Fingerprint fingerprint;
    private final List<Fingerprint> former;
    private final long payloadBytes;
    /** The effects of its calls, if each operation gives one result only. Shared with what is made from this. */
    private final @Nullable CallEffects effects;

    private Attempt(
            String scope,
            String value,
            Fingerprint fingerprint,
            List<Fingerprint> former,
            long payloadBytes,
            @Nullable CallEffects effects) {
        this.scope = scope;
        this.value = value;
        this.fingerprint = fingerprint;
        this.former = former;
        this.payloadBytes = payloadBytes;
        this.effects = effects;
    }

    /**
     * The same attempt, which also matches records that were written with other fingerprints of the same request. For a
     * caller that takes fingerprints otherwise than it did before: the records of before keep answering until their
     * retention has passed. New records get this attempt's own fingerprint.
     *
     * @param fingerprints the fingerprints of the same request, as they were taken before
     * @return a new attempt
     */
    public Attempt alsoMatching(Fingerprint... fingerprints) {
        return new Attempt(scope, value, fingerprint, List.of(fingerprints), payloadBytes, effects);
    }

    /**
     * The same attempt, with the size of what it brings, such as a message. A {@link Batch} bounds the sum; nothing else
     * looks at it. Default: 0.
     *
     * @param bytes the size, not negative
     * @return a new attempt
     * @throws IllegalArgumentException if negative
     */
    public Attempt withPayloadBytes(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("The size of a payload is not negative, found " + bytes + " bytes.");
        }
        return new Attempt(scope, value, fingerprint, former, bytes, effects);
    }

    /**
     * The same attempt, of which each operation gives one result. A second call of such an operation with this object would
     * get the result of the first, and its own work would be dropped; so it ends with {@link RepeatedCallException}. Take it
     * for an attempt that stands for a whole request, whose parts do not know of each other.
     *
     * <p>A call without a result does not count, whether it returned {@link Outcome.InProgress} or has thrown: make it again.
     * Nor do calls with another object for the same key, such as those of a client's retry. Of two calls at once both may
     * begin; one ends with the exception.
     *
     * @return a new attempt
     */
    public Attempt withOneResultEach() {
        return new Attempt(scope, value, fingerprint, former, payloadBytes, new CallEffects());
    }

    /**
     * Whether a call with this attempt, or with one that was {@linkplain #derive derived} from it, has its effect or may have
     * it: it gave a result, replayed too, or could not find out, or ended by an {@link Error}, or has not ended. Where a
     * request makes several calls, what one of them says of its own effect does not hold for the request.
     *
     * @return false if all its calls ended without effect, or there was none
     * @throws IllegalStateException if it was not made by {@link #withOneResultEach}
     */
    public boolean mayHaveEffect() {
        if (effects == null) {
            throw new IllegalStateException("This attempt does not know its calls. Make it by withOneResultEach().");
        }
        return effects.mayExist();
    }

    /**
     * An attempt for a part of this one, with a key of its own: a digest of this key and the part's name. The same name gives
     * the same key in every retry. Scope and fingerprints are those of this attempt.
     *
     * @param part names the part within this attempt, such as {@code "line-2"}: 1 to 255 visible characters
     * @return a new attempt
     * @throws IdempotencyKey.InvalidKeyException if the name is not acceptable
     */
    public Attempt derive(String part) {
        IdempotencyKey.requireVisible("part", part);
        String derived = "part-sha256:"
                + HexFormat.of().formatHex(Fingerprint.ofParts(value, part).toBytes());
        return new Attempt(scope, derived, fingerprint, former, 0, effects);
    }

    long payloadBytes() {
        return payloadBytes;
    }

    /**
     * Begins with the scope, which names the party that may see the answer. Give its kind with it, {@code user:42}, so
     * that a user and a tenant with the same number never share a key.
     *
     * @param scope 1 to 255 visible characters
     * @return the next step
     * @throws IdempotencyKey.InvalidKeyException if the scope is not acceptable
     */
    public static WithScope in(String scope) {
        IdempotencyKey.requireVisible("scope", scope);
        return new WithScope(scope);
    }

    /**
     * The key of this attempt for an operation, as of {@link Operation#keyOf}.
     *
     * @param operation the operation's name
     * @return its key there
     * @throws IdempotencyKey.InvalidKeyException if the name is not acceptable
     */
    public IdempotencyKey keyFor(String operation) {
        return new IdempotencyKey(scope, operation, value);
    }

    /** {@return the fingerprint of the request, which new records get} */
    public Fingerprint fingerprint() {
        return fingerprint;
    }

    /**
     * Whether a record with a fingerprint belongs to this attempt's request.
     *
     * @param recorded the fingerprint
     * @return whether it is this attempt's, or one that it {@linkplain #alsoMatching also matches}
     */
    public boolean matches(Fingerprint recorded) {
        return recorded.equals(fingerprint) || former.contains(recorded);
    }

    Request requestTo(String operation) {
        IdempotencyKey key = keyFor(operation);
        if (effects != null && effects.isThere(key)) {
            throw new RepeatedCallException(key);
        }
        return new Request(key, fingerprint, former);
    }

    /** Makes a call of an operation, unless that has given its result before. */
    <R> Outcome<R> call(String operation, Function<Request, Outcome<R>> execution) {
        Request request = requestTo(operation);
        CallEffects.Call call = begin(request);
        Outcome<R> outcome;
        try {
            outcome = execution.apply(request);
        } catch (Throwable thrown) {
            call.ended(thrown);
            throw thrown;
        }
        if (call.ended(outcome)) {
            throw new RepeatedCallException(request.key());
        }
        return outcome;
    }

    /** As {@link #call}, for an outcome that comes later. */
    <R> CompletionStage<Outcome<R>> callAsync(
            String operation, Function<Request, CompletionStage<Outcome<R>>> execution) {
        Request request = requestTo(operation);
        CallEffects.Call call = begin(request);
        CompletableFuture<Outcome<R>> told = new CompletableFuture<>();
        try {
            CompletionStage<?> unused = execution.apply(request).whenComplete((outcome, thrown) -> {
                if (thrown != null) {
                    call.ended(thrown);
                    told.completeExceptionally(thrown);
                } else if (call.ended(outcome)) {
                    told.completeExceptionally(new RepeatedCallException(request.key()));
                } else {
                    told.complete(outcome);
                }
            });
        } catch (Throwable thrown) {
            call.ended(thrown);
            throw thrown;
        }
        return told;
    }

    /** From here on the key may have an effect. */
    CallEffects.Call begin(Request request) {
        return new CallEffects.Call(request.key(), effects);
    }

    @Override
    public String toString() {
        return "Attempt[key " + Fingerprint.ofParts(scope, value) + ", request " + fingerprint + "]";
    }

    /** An attempt that has its scope and needs its key. */
    public static final class WithScope {
        private final String scope;

        private WithScope(String scope) {
            this.scope = scope;
        }

        /**
         * Adds the key that the client chose for this attempt.
         *
         * @param value 1 to 255 visible characters
         * @return the next step
         * @throws IdempotencyKey.InvalidKeyException if the key is not acceptable
         */
        public WithKey key(String value) {
            IdempotencyKey.requireVisible("value", value);
            return new WithKey(scope, value);
        }
    }

    /** An attempt that has its key and needs its request. */
    public static final class WithKey {
        private final String scope;
        private final String value;

        private WithKey(String scope, String value) {
            this.scope = scope;
            this.value = value;
        }

        /**
         * Adds the parts that make this request, so that the same key with another request is noticed.
         *
         * @param first as for {@link Fingerprint#ofParts}
         * @param rest the other parts
         * @return the attempt
         * @throws IllegalArgumentException if a part has no canonical form
         */
        public Attempt request(@Nullable Object first, @Nullable Object... rest) {
            @Nullable Object[] parts = new @Nullable Object[rest.length + 1];
            parts[0] = first;
            System.arraycopy(rest, 0, parts, 1, rest.length);
            return fingerprint(Fingerprint.ofParts(parts));
        }

        /**
         * For an operation without parameters, whose requests cannot differ: the key alone says which it is. Where there is
         * anything that a client may send otherwise with the same key, give it to {@link #request}.
         *
         * @return the attempt
         */
        public Attempt withoutRequest() {
            return fingerprint(Fingerprint.ofParts());
        }

        /**
         * Adds a fingerprint that the caller has computed.
         *
         * @param fingerprint the fingerprint of the request
         * @return the attempt
         */
        public Attempt fingerprint(Fingerprint fingerprint) {
            return new Attempt(scope, value, Objects.requireNonNull(fingerprint, "fingerprint"), List.of(), 0, null);
        }
    }
}
