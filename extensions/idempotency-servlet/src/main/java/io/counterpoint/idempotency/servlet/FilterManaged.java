package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.function.CheckedFunction;
import io.counterpoint.idempotency.http.ProblemType;
import io.counterpoint.idempotency.spi.Characters;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * Filter-managed: the filter claims the key, the handler runs, and its response is stored and replayed. For handlers
 * whose effect is not a single transaction in the store's database.
 *
 * <p>The protocol is {@code EXTERNAL}, because effect and record cannot commit together. If a handler throws, responds
 * with 5xx or dies, requests with its key get {@code request-outstanding} until the lookup finds the effect or an
 * operator resolves it; the handler never runs again for that key. Prefer handler-managed routes where possible.
 */
public final class FilterManaged {

    private static final int WITHOUT_LOOKUP = 1000;

    /** What codecs such as encryption may add to a response. */
    private static final int OF_ANOTHER_CODEC = 1024;

    private final ExternalOperation<StoredResponse> operation;
    private final int maxBody;
    private final Set<String> headers;
    private final StatusMeanings meanings;
    private final Predicate<? super HttpServletRequest> mayReplay;
    private final UnresolvedKeys unresolved;

    private FilterManaged(Builder builder) {
        operation = builder.operation
                .maxResultBytes(builder.maxBody + StoredHeaders.MAX_BYTES + OF_ANOTHER_CODEC)
                .build();
        maxBody = builder.maxBody;
        // Sorted, so that a response has its headers in the same order wherever it is replayed.
        headers = Collections.unmodifiableSet(new TreeSet<>(builder.headers));
        meanings = builder.meanings;
        mayReplay = builder.mayReplay;
        unresolved = new UnresolvedKeys(builder.unresolvedAtMost, operation.retention(), System::nanoTime);
    }

    /**
     * Stores responses without a lookup: a request whose handler did not report its outcome waits for an operator.
     *
     * @param idempotency creates the operations; its store must not lose acknowledged commits
     * @param operation the operation's name, part of every key; it must not change while records exist. Routes with the
     *     same name share their keys: a key that was used on one is rejected on the other
     * @return a builder
     */
    public static Builder storedIn(Idempotency<?> idempotency, String operation) {
        return storedIn(idempotency, operation, unresolved -> Optional.empty()).unresolvedAtMost(WITHOUT_LOOKUP);
    }

    /**
     * Stores responses with a lookup.
     *
     * @param idempotency creates the operations; its store must not lose acknowledged commits
     * @param operation the operation's name, as in {@link #storedIn(Idempotency, String)}
     * @param lookUp finds the effect of an unresolved request by the key that its handler stored with it or passed on
     *     as a hash (see {@link IdempotentRequest#key()}), and returns the response for the retry. An empty result
     *     proves nothing
     * @return a builder
     */
    public static Builder storedIn(
            Idempotency<?> idempotency,
            String operation,
            CheckedFunction<ExternalOperation.Unresolved<StoredResponse>, Optional<StoredResponse>, Exception> lookUp) {
        return storedIn(idempotency, operation, lookUp, codec -> codec);
    }

    /**
     * Stores responses with a lookup, encoded by a different codec, such as one that encrypts.
     *
     * @param idempotency creates the operations; its store must not lose acknowledged commits
     * @param operation the operation's name, as in {@link #storedIn(Idempotency, String)}
     * @param lookUp finds the effect of an unresolved request, as in the other overload
     * @param codec derives the codec of stored responses from the filter's own; it may add at most 1,024 bytes
     * @return a builder
     */
    public static Builder storedIn(
            Idempotency<?> idempotency,
            String operation,
            CheckedFunction<ExternalOperation.Unresolved<StoredResponse>, Optional<StoredResponse>, Exception> lookUp,
            UnaryOperator<ResultCodec<StoredResponse>> codec) {
        return new Builder(idempotency
                .external(
                        operation,
                        codec.apply(ResultCodec.of(StoredResponse::encode, StoredResponse::decode)),
                        unresolved -> Lookup.of(lookUp.apply(unresolved)))
                .releaseWhenNoEffect(thrown -> thrown instanceof Ended ended && ended.meaning() == Meaning.NO_EFFECT));
    }

    /**
     * Declares, after an operator has checked, that an unresolved request was carried out.
     *
     * @param key the key
     * @param response the response to retries from now on
     * @return the outcome that retries get; empty if the key has no record
     */
    public Optional<Outcome<StoredResponse>> resolveSucceeded(IdempotencyKey key, StoredResponse response) {
        Optional<Outcome<StoredResponse>> outcome = operation.resolveSucceeded(key, response);
        unresolved.resolved(key);
        return outcome;
    }

    /**
     * Declares, after an operator has checked, that an unresolved request was not carried out and never will be.
     *
     * @param key the key
     * @param failure why
     * @return the outcome that retries get; empty if the key has no record
     */
    public Optional<Outcome<StoredResponse>> resolveFailed(IdempotencyKey key, Failure failure) {
        Optional<Outcome<StoredResponse>> outcome = operation.resolveFailed(key, failure);
        unresolved.resolved(key);
        return outcome;
    }

    ExternalOperation<StoredResponse> operation() {
        return operation;
    }

    Duration retention() {
        return operation.retention();
    }

    UnresolvedKeys unresolved() {
        return unresolved;
    }

    /** Whether a request may get a response that was created earlier. */
    boolean mayReplay(HttpServletRequest request) {
        return mayReplay.test(request);
    }

    /** Wraps a response so that it records what may be stored. */
    CapturedResponse capture(HttpServletResponse response) {
        return new CapturedResponse(response, maxBody, headers);
    }

    /** Whether this status, although a client error, leaves the effect unknown. */
    boolean isUnknown(int status, IdempotentRequest request) {
        return status >= 400 && status < 500 && meanings.of(status, request.handled()) == Meaning.UNKNOWN;
    }

    /** Returns what is stored of a response. */
    StoredResponse resultOf(CapturedResponse response, IdempotentRequest request) throws Ended {
        meanings.requireEffect(response.getStatus(), response.lastAsked(), request.handled());
        return response.toStored();
    }

    /** Builds a style. Every option has a default and is validated when it is set. */
    public static final class Builder {
        private final ExternalOperation.Builder<?, StoredResponse> operation;
        private int maxBody = 64 * 1024;
        private final TreeSet<String> headers = new TreeSet<>(Comparator.comparing(Characters::lowerCaseAscii));
        private StatusMeanings meanings = StatusMeanings.BY_CLASS;
        private Predicate<? super HttpServletRequest> mayReplay = request -> true;
        private int unresolvedAtMost = Integer.MAX_VALUE;

        private Builder(ExternalOperation.Builder<?, StoredResponse> operation) {
            this.operation = operation;
            headers.addAll(StoredHeaders.BY_DEFAULT);
        }

        /**
         * Sets how long a response is replayed. Default: the default retention of operations, 1 day unless set
         * otherwise.
         *
         * @param retention as in {@link ExternalOperation.Builder#retention}
         * @return this
         */
        public Builder retention(Duration retention) {
            operation.retention(retention);
            return this;
        }

        /**
         * Lets duplicates wait for a running handler, each blocking its thread. Default: no waiting.
         *
         * @param wait the maximum wait, as in {@link ExternalOperation.Builder#waitAtMost}
         * @return this
         */
        public Builder waitAtMost(Duration wait) {
            operation.waitAtMost(wait);
            return this;
        }

        /**
         * Sets the maximum size of a stored body, which is also the heap that one response may use. For a larger body,
         * the record only notes that it was sent, and retries get {@link ProblemType#ANSWER_NOT_KEPT}. Default: 64 KiB.
         *
         * @param bytes from 0 to 16,000,000
         * @return this
         */
        public Builder maxStoredBody(int bytes) {
            if (bytes < 0 || bytes > 16_000_000) {
                throw new IllegalArgumentException(
                        "The largest stored body must be between 0 and 16,000,000 bytes, found " + bytes + ".");
            }
            maxBody = bytes;
            return this;
        }

        /**
         * Adds headers that are stored and replayed. Included by default: Access-Control-*, Cache-Control,
         * Content-Disposition, Content-Encoding, Content-Language, Content-Location, Content-Range, Content-Type, ETag,
         * Last-Modified, Link, Location, Vary. Headers that allow one origin to read the response are not replayed to
         * any other.
         *
         * @param names the headers' names
         * @return this
         * @throws IllegalArgumentException for Set-Cookie, Date and hop-by-hop headers
         */
        public Builder alsoReplay(String... names) {
            for (String name : names) {
                StoredHeaders.requireReplayable(name);
                headers.add(name);
            }
            return this;
        }

        /**
         * Sets how many keys of one scope may be unresolved, which means that their handler ran with an unknown
         * outcome. Such a record is kept until it is resolved, regardless of its retention. Above the limit, a request
         * with a new key is not carried out and gets 429; its claim is released. Replays and retries of unresolved keys
         * are answered as usual. Default: no limit with a lookup, 1,000 without.
         *
         * <p>Each process counts only keys of its own requests, so several processes together can exceed the limit, and
         * a restart resets the count. For a scope that has reached the limit, the store is queried once a minute for
         * keys that others have resolved. Requests in progress do not count. Callers that share a scope, as with {@link
         * ScopeResolver#anonymous}, share the limit.
         *
         * @param keys at least 1
         * @return this
         */
        public Builder unresolvedAtMost(int keys) {
            if (keys < 1) {
                throw new IllegalArgumentException(
                        "A scope must be allowed at least 1 unresolved key, found " + keys + ".");
            }
            unresolvedAtMost = keys;
            return this;
        }

        /**
         * Checks before each replay whether the caller may still see the response, because the handler, which made this
         * check on the first try, does not run again. A replay that is not allowed gets 403, and the record stays.
         * Default: every replay is allowed to its scope.
         *
         * @param allowed decides whether this request may get the response; its exceptions propagate to the container
         * @return this
         */
        public Builder replayOnlyIf(Predicate<? super HttpServletRequest> allowed) {
            mayReplay = allowed;
            return this;
        }

        /**
         * Declares what certain statuses of the handler mean.
         *
         * @param meaning what they mean for the effect
         * @param statuses the statuses
         * @return this
         * @throws IllegalArgumentException if {@link Meaning#EFFECT} is declared for a status that is never stored:
         *     400, 401, 409, 422, 429, 5xx
         */
        public Builder means(Meaning meaning, int... statuses) {
            meanings = meanings.with(meaning, statuses);
            return this;
        }

        /**
         * Builds the style.
         *
         * @return the style
         */
        public FilterManaged build() {
            return new FilterManaged(this);
        }
    }
}
