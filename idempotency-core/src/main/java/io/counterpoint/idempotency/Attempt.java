package io.counterpoint.idempotency;

import io.counterpoint.idempotency.engine.Engine;
import io.counterpoint.idempotency.engine.OperationSettings;
import io.counterpoint.idempotency.engine.Request;
import io.counterpoint.idempotency.engine.UserCode;
import io.counterpoint.idempotency.internal.CallEffects;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An attempt as it arrives: who makes the request, under which key, and for what.
 *
 * <p>{@code Attempt.inScope("user:42").key(requestKey).request(command.name(), command.members())}. It is not bound to
 * an operation yet: {@link Operation#keyOf} adds the name. Immutable; equal attempts have equal scopes, keys and
 * requests. {@link #toString()} shows digests only.
 */
public final class Attempt {

    private final String scope;
    private final String key;
    private final Fingerprint request;
    private final List<Fingerprint> formerRequests;
    /**
     * Counts the calls if each operation may return only one result; shared with the attempts derived from this one.
     */
    private final @Nullable CallEffects effects;

    private Attempt(
            String scope,
            String key,
            Fingerprint request,
            List<Fingerprint> formerRequests,
            @Nullable CallEffects effects) {
        this.scope = scope;
        this.key = key;
        this.request = request;
        this.formerRequests = formerRequests;
        this.effects = effects;
    }

    /**
     * Starts with the scope, which identifies the party that may see the result. Include its kind, as in {@code
     * user:42}, so that a user and a tenant with the same number never share a key.
     *
     * @param scope 1 to 255 visible characters
     * @return the next step
     * @throws InvalidKeyException if the scope is not acceptable
     */
    public static InScope inScope(String scope) {
        return new InScope(VisibleCharacters.require("scope", scope));
    }

    /** {@return the scope: the party that may see the result} */
    public String scope() {
        return scope;
    }

    /** {@return the key that the client chose} */
    public String key() {
        return key;
    }

    /** {@return the fingerprint of the request, which is stored in new records} */
    public Fingerprint request() {
        return request;
    }

    /** {@return the other fingerprints of the same request that existing records may have} */
    public List<Fingerprint> formerRequests() {
        return formerRequests;
    }

    /**
     * Returns the same attempt, which also matches records written with other fingerprints of the same request. Use it
     * after changing how fingerprints are computed: older records keep answering until their retention has passed. New
     * records get this attempt's own fingerprint.
     *
     * @param fingerprints the fingerprints of the same request, as previously computed
     * @return a new attempt
     */
    public Attempt alsoMatching(Fingerprint... fingerprints) {
        return new Attempt(scope, key, request, List.of(fingerprints), effects);
    }

    /**
     * Returns an attempt for a part of this one, with its own key: a digest of this key and the part's name. The same
     * name yields the same key in every retry. Scope and fingerprints are inherited.
     *
     * @param part names the part within this attempt, such as {@code "line-2"}: 1 to 255 visible characters
     * @return a new attempt
     * @throws InvalidKeyException if the name is not acceptable
     */
    public Attempt derive(String part) {
        VisibleCharacters.require("part", part);
        String derived = "part-sha256:"
                + HexFormat.of().formatHex(Fingerprint.ofParts(key, part).toBytes());
        return new Attempt(scope, derived, request, formerRequests, effects);
    }

    /**
     * Returns the same attempt with its calls counted, for a layer that makes one attempt per request, such as an HTTP
     * filter. Each operation may return one result for it. A second call of that operation would get the result of the
     * first while its own work is dropped, so it throws {@link AttemptAlreadyUsedException}. Calls without a result do
     * not count.
     *
     * @param counter counts the calls; its type is not accessible to applications
     * @return a new attempt
     */
    @SuppressWarnings("exports") // exported only to selected modules
    public Attempt countedBy(CallEffects counter) {
        return new Attempt(scope, key, request, formerRequests, counter);
    }

    /**
     * Returns the key of this attempt for an operation, like {@link Operation#keyOf}.
     *
     * @param operation the operation's name
     * @return the key for that operation
     * @throws InvalidKeyException if the name is not acceptable
     */
    public IdempotencyKey keyFor(String operation) {
        return new IdempotencyKey(scope, VisibleCharacters.require("operation", operation), key);
    }

    /**
     * Returns whether a record with this fingerprint belongs to this attempt's request.
     *
     * @param recorded the fingerprint
     * @return true if it equals the fingerprint of this attempt or one passed to {@link #alsoMatching}
     */
    public boolean matches(Fingerprint recorded) {
        return recorded.equals(request) || formerRequests.contains(recorded);
    }

    Request requestTo(String operation) {
        IdempotencyKey ofOperation = keyFor(operation);
        if (effects != null && effects.isThere(ofOperation)) {
            throw new AttemptAlreadyUsedException(ofOperation);
        }
        return new Request(ofOperation, request, formerRequests);
    }

    /** Calls an operation unless it has already returned a result for this attempt. */
    <C, R> Outcome<R> call(
            OperationSettings<C, R> settings, @Nullable Supplier<? extends R> planner, UserCode.Work<C, R> work) {
        return observed(settings, () -> counted(settings, planner, work));
    }

    /** Makes a call so that an observer sees the same outcome as its caller. */
    static <R> Outcome<R> observed(OperationSettings<?, ?> settings, Supplier<Outcome<R>> call) {
        CallObserver observer = settings.environment().observer();
        return observer == null ? call.get() : ObservedCall.by(one -> observer.observe(settings.name(), one), call);
    }

    <C, R> Outcome<R> counted(
            OperationSettings<C, R> settings, @Nullable Supplier<? extends R> planner, UserCode.Work<C, R> work) {
        Request ofOperation = requestTo(settings.name());
        CallEffects.Call call = begin(ofOperation);
        Outcome<R> outcome;
        try {
            outcome = Engine.execute(settings, ofOperation, planner, work);
        } catch (Throwable thrown) {
            call.ended(thrown);
            throw thrown;
        }
        if (call.ended(outcome)) {
            throw new AttemptAlreadyUsedException(ofOperation.key());
        }
        return outcome;
    }

    /** As {@link #call}, for an outcome that completes later. */
    <R> CompletionStage<Outcome<R>> callAsync(
            OperationSettings<?, R> settings, Function<Request, CompletionStage<Outcome<R>>> execution) {
        CallObserver observer = settings.environment().observer();
        return observer == null
                ? countedAsync(settings, execution)
                : ObservedCall.by(
                        one -> observer.observeAsync(settings.name(), one), () -> countedAsync(settings, execution));
    }

    private <R> CompletionStage<Outcome<R>> countedAsync(
            OperationSettings<?, R> settings, Function<Request, CompletionStage<Outcome<R>>> execution) {
        Request ofOperation = requestTo(settings.name());
        CallEffects.Call call = begin(ofOperation);
        CompletableFuture<Outcome<R>> told = new CompletableFuture<>();
        try {
            CompletionStage<?> unused = execution.apply(ofOperation).whenComplete((outcome, thrown) -> {
                if (thrown != null) {
                    call.ended(thrown);
                    told.completeExceptionally(thrown);
                } else if (call.ended(outcome)) {
                    told.completeExceptionally(new AttemptAlreadyUsedException(ofOperation.key()));
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
    CallEffects.Call begin(Request ofOperation) {
        return CallEffects.Call.begin(ofOperation.key(), effects);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Attempt attempt
                && scope.equals(attempt.scope)
                && key.equals(attempt.key)
                && request.equals(attempt.request)
                && formerRequests.equals(attempt.formerRequests);
    }

    @Override
    public int hashCode() {
        return Objects.hash(scope, key, request, formerRequests);
    }

    /** Digests of scope and key together, and of the request. */
    @Override
    public String toString() {
        return "Attempt[key #" + Fingerprint.ofParts(scope, key) + ", request #" + request + "]";
    }

    /** An attempt that has a scope and still needs a key. */
    public static final class InScope {
        private final String scope;

        private InScope(String scope) {
            this.scope = scope;
        }

        /**
         * Adds the key that the client chose for this attempt.
         *
         * @param value 1 to 255 visible characters
         * @return the next step
         * @throws InvalidKeyException if the key is not acceptable
         */
        public WithKey key(String value) {
            return new WithKey(scope, VisibleCharacters.require("value", value));
        }
    }

    /** An attempt that has a key and still needs its request. */
    public static final class WithKey {
        private final String scope;
        private final String key;

        private WithKey(String scope, String key) {
            this.scope = scope;
            this.key = key;
        }

        /**
         * Adds the parts that identify this request, so that reusing the key for a different request is detected.
         *
         * @param first as in {@link Fingerprint#ofParts}
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
         * Marks an operation without parameters, whose requests cannot differ: the key alone identifies them. Pass
         * anything that a client could vary under the same key to {@link #request} instead.
         *
         * @return the attempt
         */
        public Attempt withoutRequest() {
            return fingerprint(Fingerprint.ofParts());
        }

        /**
         * Adds a fingerprint computed by the caller.
         *
         * @param fingerprint the fingerprint of the request
         * @return the attempt
         */
        public Attempt fingerprint(Fingerprint fingerprint) {
            return new Attempt(scope, key, Objects.requireNonNull(fingerprint, "fingerprint"), List.of(), null);
        }
    }
}
