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
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A named use case, such as a payment, that sends a request to a provider with idempotency keys. Immutable and
 * thread-safe.
 *
 * <p>Work and lookup are the same function here: sending the request under the key. The request is stored with the
 * claim. If its response is lost, the next call with the key resends it, and the provider either repeats its response
 * or processes the request now. A retry therefore needs only the key, and there is one effect. {@link Builder#then}
 * books the response together with {@code Succeeded}.
 *
 * <p>Conditions: the provider has one effect per key, no matter how many requests it receives, even concurrently, for
 * as long as {@linkplain Builder#rememberedFor stated}; and the store loses no acknowledged commit within that time.
 * Because clocks differ and requests take time, the library resends nothing during the last hour of that time, or the
 * last tenth if that is shorter; the clocks of all processes must agree more closely than that. From then on, only an
 * operator can settle the attempt.
 *
 * <p>The request is stored until its record is purged, and the codec must be able to read it until then.
 *
 * @param <Q> the request
 * @param <A> the response
 */
@SuppressWarnings("exports") // what a record stores is of no use to applications
public final class ProviderOperation<Q, A> extends AbstractExternalOperation<Exchange<Q, A>, A> {

    private static final Duration MARGIN = Duration.ofHours(1);

    private final CheckedBiFunction<IdempotencyKey, Exchange<Q, A>, Exchange<Q, A>, RuntimeException> send;
    private final Supplier<Instant> now;

    private ProviderOperation(
            OperationSettings<?, Exchange<Q, A>> settings,
            CheckedBiFunction<IdempotencyKey, Exchange<Q, A>, Exchange<Q, A>, RuntimeException> send,
            Supplier<Instant> now) {
        super(settings, Exchange::answering, ProviderOperation::answerOf);
        this.send = send;
        this.now = now;
    }

    /**
     * Sends a request, or returns the outcome of an earlier call with the same key.
     *
     * @param attempt the attempt: scope, key and everything that must not differ between two requests with the same key
     * @param request the request to send, which must not be modified during the call; a later call with this key
     *     resends the stored one
     * @return the outcome of the attempt. A refusal that the provider remembers is {@link Outcome.Rejected}, with the
     *     exception as its {@linkplain Outcome#suppressedFailure suppressed failure}
     * @throws OutcomeUnknownException for any other exception of the provider or of the follow-up, which
     *     is its cause: retry with the same key
     * @throws IdempotencyException if the store could not be queried, or a request or a response cannot be stored or
     *     read
     * @throws IllegalStateException if called inside another call, or inside an open transaction
     */
    @CheckReturnValue
    public Outcome<A> execute(Attempt attempt, Q request) {
        Objects.requireNonNull(request, "request");
        return Attempt.observed(settings, () -> exchanged(attempt, request));
    }

    private Outcome<A> exchanged(Attempt attempt, Q request) {
        try {
            return answerOf(attempt.counted(
                    settings,
                    () -> Exchange.asking(now.get(), request),
                    (handle, key, asked) -> send.apply(key, asked.orElseThrow())));
        } catch (Kept refusal) {
            return new Outcome.Rejected<A>(keyOf(attempt), refusal.failure).withSuppressedFailure(refusal.thrown);
        }
    }

    @Override
    public String toString() {
        return "ProviderOperation" + settings;
    }

    private static <Q, A> Outcome<A> answerOf(Outcome<Exchange<Q, A>> outcome) {
        Outcome<A> answer = outcome.mapped(exchange -> exchange.answer().orElseThrow());
        return outcome.suppressedFailure()
                .map(thrown -> answer.withSuppressedFailure(thrown instanceof Kept kept ? kept.thrown : thrown))
                .orElse(answer);
    }

    /** Carries a refusal that the provider remembers to the caller. */
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
     * The follow-up of a response in the store's own database.
     *
     * @param <C> the handle
     * @param <Q> the request
     * @param <A> the response
     */
    @FunctionalInterface
    public interface FollowUp<C, Q, A> {
        /**
         * Runs the follow-up, like {@link ExternalOperation.FollowUp#run}.
         *
         * @param handle the handle
         * @param key the key
         * @param request the request that was sent
         * @param answer the provider's response
         * @throws Exception if it cannot run now
         */
        void run(C handle, IdempotencyKey key, Q request, A answer) throws Exception;
    }

    /**
     * Builds an operation. {@link #rememberedFor} is required; every other option has a default.
     *
     * <p>A duplicate does not wait for another call's request but sends the same one. {@link #waitAtMost} applies while
     * another call books the response, and once nothing is resent any more.
     *
     * @param <C> the handle of a follow-up
     * @param <Q> the request
     * @param <A> the response
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

        /**
         * Declares how long the provider remembers a key. {@link #build} rejects a shorter retention, and nothing is
         * resent when this time is nearly over.
         *
         * @param memory the duration, such as 24 hours
         * @return this
         * @throws IllegalArgumentException if not positive or longer than 3650 days
         */
        public Builder<C, Q, A> rememberedFor(Duration memory) {
            options.remembered(memory);
            return this;
        }

        /**
         * Declares which exceptions of a request are refusals that the provider remembers under the key, such as a
         * declined card: every later request with the key is refused too. The attempt is then {@code Failed}, with the
         * description from {@link #describeFailure}. Default: none. If your provider retries refused requests, declare
         * nothing.
         *
         * @param thrown true for such exceptions
         * @return this
         */
        public Builder<C, Q, A> refusedWhen(Predicate<? super Throwable> thrown) {
            options.refused = CommonOptions.either(options.refused, thrown);
            return this;
        }

        /**
         * Sets the follow-up of a response in the store's own database, like {@link ExternalOperation.Builder#then}.
         *
         * @param followUp takes the handle, the key, the request and the response
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
         * Builds the operation. The builder can be reused.
         *
         * @return the operation
         * @throws IllegalArgumentException if {@link #rememberedFor} is not set or exceeds the retention
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
            // Only this operation can read the contents of its records, so nothing else may settle them.
            built.then = options.then == null ? (handle, key, exchange) -> {} : options.then;
            built.codec = new Exchange.Codec<>(requests, answers, options.maxResultBytes);
            built.maxResultBytes = Exchange.Codec.most(options.maxResultBytes);
            built.refused = Kept.class::isInstance;
            built.describe = thrown -> thrown instanceof Kept kept ? kept.failure : Failure.of(thrown);
            built.lookUp = (handle, key, asked) -> asked.isEmpty()
                            || clock.wallTime().isAfter(asked.get().since().plus(sends))
                    ? Lookup.notYet()
                    : Lookup.found(send.apply(key, asked.get()));
            return new ProviderOperation<>(built.settings(built.wait), send, clock::wallTime);
        }

        /** Sends the request and classifies exceptions. */
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
