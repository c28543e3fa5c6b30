package io.counterpoint.idempotency;

import io.counterpoint.idempotency.Idempotency.CheckReturnValue;
import io.counterpoint.idempotency.Operation.Abandoned;
import io.counterpoint.idempotency.engine.OperationSettings;
import io.counterpoint.idempotency.engine.UserCode;
import io.counterpoint.idempotency.function.CheckedBiFunction;
import io.counterpoint.idempotency.internal.Rethrow;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A named use case that sends a request to a provider that accepts a key, such as a payment. Immutable and thread-safe.
 *
 * <p>Work and lookup are one function here: the request under the key. It is stored with the claim. If the answer is
 * lost, the next call with the key sends the request again, and the provider returns the same answer, or carries it out
 * now. So a retry needs only the key, and there is one effect. {@link Builder#then} books the answer together
 * with {@code Succeeded}.
 *
 * <p>Conditions: the provider has one effect per key, no matter how often it gets the request, even concurrently, for
 * as long as {@linkplain Builder#rememberedFor stated}. The store loses no acknowledged commit within that time. The
 * library sends nothing in the last hour of that time, or in its last tenth if that is shorter, because clocks differ
 * and requests take time: the clocks of all processes must not differ by more than that. After that, only an operator
 * can end the attempt.
 *
 * <p>The request is stored until its record is purged, and the codec has to be able to read it until then.
 *
 * @param <Q> the request
 * @param <A> the answer
 */
public final class ProviderOperation<Q, A> implements Resolvable<A> {

    private static final Duration MARGIN = Duration.ofHours(1);

    private final ExternalOperation<Exchange<Q, A>> external;
    private final CheckedBiFunction<IdempotencyKey, Exchange<Q, A>, Exchange<Q, A>, RuntimeException> send;
    private final Supplier<Instant> now;

    private ProviderOperation(
            ExternalOperation<Exchange<Q, A>> external,
            CheckedBiFunction<IdempotencyKey, Exchange<Q, A>, Exchange<Q, A>, RuntimeException> send,
            Supplier<Instant> now) {
        this.external = external;
        this.send = send;
        this.now = now;
    }

    /**
     * Sends a request, or returns the outcome of an earlier call with the same key.
     *
     * @param attempt the caller's scope, its key and its request, which contains everything that must not differ
     *     between two requests under one key
     * @param request the request to send, which must not change in the meantime; a later call with this key sends the
     *     stored one again
     * @return the outcome of the attempt. A refusal that the provider keeps is {@link Outcome.Rejected}, and
     *     what was thrown its {@linkplain Outcome#suppressedFailure own failure}
     * @throws OutcomeUnknownException for any other exception of the provider or the follow-up, which is its cause:
     *     retry with the same key
     * @throws IdempotencyException if the store is unreachable, or a request or an answer cannot be stored or read
     * @throws IllegalStateException if called inside another call, or inside an open transaction
     */
    @CheckReturnValue
    public Outcome<A> execute(Attempt attempt, Q request) {
        Objects.requireNonNull(request, "request");
        OperationSettings<?, Exchange<Q, A>> settings = external.settings;
        return Attempt.observed(settings.environment().observer(), name(), () -> exchanged(attempt, request));
    }

    private Outcome<A> exchanged(Attempt attempt, Q request) {
        try {
            return answerOf(attempt.counted(
                    external.settings,
                    () -> Exchange.asking(now.get(), request),
                    (handle, key, asked) -> send.apply(key, asked.orElseThrow())));
        } catch (Kept refusal) {
            return new Outcome.Rejected<A>(keyOf(attempt), refusal.failure).withSuppressedFailure(refusal.thrown);
        }
    }

    @Override
    public String name() {
        return external.name();
    }

    @Override
    public Optional<Outcome<A>> settle(IdempotencyKey key) {
        return external.settle(key).map(ProviderOperation::answerOf);
    }

    @Override
    public Optional<Outcome<A>> resolveSucceeded(IdempotencyKey key, A answer) {
        return external.resolveSucceeded(key, Exchange.answering(answer)).map(ProviderOperation::answerOf);
    }

    @Override
    public Optional<Outcome<A>> resolvePlanned(IdempotencyKey key) {
        return external.resolvePlanned(key).map(ProviderOperation::answerOf);
    }

    @Override
    public Optional<Outcome<A>> resolveFailed(IdempotencyKey key, Failure failure) {
        return external.resolveFailed(key, failure).map(ProviderOperation::answerOf);
    }

    @Override
    public boolean isUnresolved(IdempotencyKey key) {
        return external.isUnresolved(key);
    }

    @Override
    public boolean knowsResult(IdempotencyKey key) {
        return external.knowsResult(key);
    }

    /**
     * The full key of an attempt.
     *
     * @param attempt the attempt
     * @return its key for this operation
     */
    public IdempotencyKey keyOf(Attempt attempt) {
        return external.keyOf(attempt);
    }

    @Override
    public String toString() {
        return external.toString().replaceFirst("External", "Provider");
    }

    private static <Q, A> Outcome<A> answerOf(Outcome<Exchange<Q, A>> outcome) {
        Outcome<A> answer = outcome.mapped(exchange -> exchange.answer().orElseThrow());
        return outcome.suppressedFailure()
                .map(thrown -> answer.withSuppressedFailure(thrown instanceof Kept kept ? kept.thrown : thrown))
                .orElse(answer);
    }

    /** A refusal that the provider keeps, on its way to the caller. */
    private static final class Kept extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient Throwable thrown;
        private final Failure failure;

        Kept(Throwable thrown, Failure failure) {
            super("The provider keeps a refusal.", thrown);
            this.thrown = thrown;
            this.failure = failure;
        }
    }

    /**
     * The follow-up of an answer in the store's own database.
     *
     * @param <C> the handle
     * @param <Q> the request
     * @param <A> the answer
     */
    @FunctionalInterface
    public interface FollowUp<C, Q, A> {
        /**
         * Runs the follow-up, like {@link ExternalOperation.FollowUp#run}.
         *
         * @param handle the handle
         * @param key the key
         * @param request the request
         * @param answer the answer
         * @throws Exception if the follow-up fails
         */
        void run(C handle, IdempotencyKey key, Q request, A answer) throws Exception;
    }

    /**
     * Builds an operation. {@link #rememberedFor} has to be stated; every other value has a default.
     *
     * <p>A duplicate does not wait for another call's request: it sends the same one. {@link #waitAtMost} applies while
     * another call books the answer, and after the last request has been sent.
     *
     * @param <C> the handle of a follow-up
     * @param <Q> the request
     * @param <A> the answer
     */
    public static final class Builder<C, Q, A> extends OperationBuilder<Builder<C, Q, A>> {

        private final OperationOptions<C, Exchange<Q, A>> options;
        private final ResultCodec<Q> requests;
        private final ResultCodec<A> answers;
        private final CheckedBiFunction<IdempotencyKey, Q, A, Exception> request;

        Builder(
                OperationOptions<C, Exchange<Q, A>> options,
                ResultCodec<Q> requests,
                ResultCodec<A> answers,
                CheckedBiFunction<IdempotencyKey, Q, A, Exception> request) {
            super(options);
            this.options = options;
            this.requests = requests;
            this.answers = answers;
            this.request = Objects.requireNonNull(request, "send");
            options.abandoned = Abandoned.LEAVE;
            options.asking = new Exchange.Asking<>();
        }

        @Override
        Builder<C, Q, A> self() {
            return this;
        }

        /**
         * Declares how long the provider remembers a key. {@link #build} rejects a shorter retention, and nothing is
         * sent again when this time is nearly over.
         *
         * @param memory how long, such as 24 hours
         * @return this
         * @throws IllegalArgumentException if not positive or longer than 3650 days
         */
        public Builder<C, Q, A> rememberedFor(Duration memory) {
            options.remembered(memory);
            return this;
        }

        /**
         * Declares which exceptions of a request are refusals that the provider keeps under the key, such as a card that is
         * declined: every later request with it gets the same. The attempt is then {@code Failed}, as {@link
         * #describeFailure} describes it. Default: none. If the provider retries a refused request, declare nothing.
         *
         * @param thrown true for such exceptions
         * @return this
         */
        public Builder<C, Q, A> refusedWhen(Predicate<? super Throwable> thrown) {
            options.refused = CommonOptions.either(options.refused, thrown);
            return this;
        }

        /**
         * Sets the follow-up of an answer in the store's own database, like {@link ExternalOperation.Builder#then}.
         *
         * @param followUp takes the handle, the key, the request and the answer
         * @return this
         * @throws IllegalArgumentException if one is already set
         */
        public Builder<C, Q, A> then(FollowUp<? super C, ? super Q, ? super A> followUp) {
            Objects.requireNonNull(followUp, "followUp");
            options.followedBy((handle, key, exchange) -> followUp.run(
                    handle,
                    key,
                    exchange.request().orElseThrow(),
                    exchange.answer().orElseThrow()));
            return this;
        }

        /**
         * Builds the operation. The builder can be used again.
         *
         * @return the operation
         * @throws IllegalArgumentException if {@link #rememberedFor} was not called, or the retention is shorter
         */
        public ProviderOperation<Q, A> build() {
            if (options.remembered.isZero()) {
                throw options.refused("call rememberedFor(…) with the time that the provider remembers a key");
            }
            CheckedBiFunction<IdempotencyKey, Exchange<Q, A>, Exchange<Q, A>, RuntimeException> send =
                    sending(options.refused, options.describe);
            IdempotencyClock clock = options.clock();
            Duration last = shorter(MARGIN, options.remembered.dividedBy(10));
            Duration sends = options.remembered.minus(last);
            OperationOptions<C, Exchange<Q, A>> built = options.copy();
            // Only this operation can read what its records have, so nothing but it may end them.
            built.then = options.then == null ? (handle, key, exchange) -> {} : options.then;
            built.codec = new Exchange.Codec<>(requests, answers, options.maxResultBytes);
            built.maxResultBytes = Exchange.Codec.most(options.maxResultBytes);
            built.refused = Kept.class::isInstance;
            built.describe = thrown -> thrown instanceof Kept kept ? kept.failure : Failure.of(thrown);
            built.lookUp = (handle, key, asked) -> asked.isEmpty()
                            || clock.wallTime().isAfter(asked.get().since().plus(sends))
                    ? Lookup.notYet()
                    : Lookup.found(send.apply(key, asked.get()));
            return new ProviderOperation<>(new ExternalOperation<>(built.settings(built.wait)), send, clock::wallTime);
        }

        /** Sends, and says what a thrown object means. */
        private CheckedBiFunction<IdempotencyKey, Exchange<Q, A>, Exchange<Q, A>, RuntimeException> sending(
                Predicate<? super Throwable> refused, @Nullable Function<? super Throwable, Failure> describe) {
            return (key, asked) -> {
                A answer;
                try {
                    answer = request.apply(key, asked.stored());
                } catch (Throwable thrown) {
                    throw UserCode.says(refused, thrown)
                            ? new Kept(thrown, UserCode.describe(describe, thrown))
                            : Rethrow.unchanged(thrown);
                }
                return asked.answeredBy(
                        Exchange.answering(Objects.requireNonNull(answer, "The provider's response is null.")));
            };
        }

        private static Duration shorter(Duration one, Duration other) {
            return one.compareTo(other) <= 0 ? one : other;
        }
    }
}
