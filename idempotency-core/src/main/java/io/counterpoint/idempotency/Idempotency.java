package io.counterpoint.idempotency;

import io.counterpoint.idempotency.engine.Environment;
import io.counterpoint.idempotency.engine.Nesting;
import io.counterpoint.idempotency.function.CheckedBiFunction;
import io.counterpoint.idempotency.function.CheckedFunction;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Creates operations on one store. Thread-safe; create one per database.
 *
 * <pre>{@code
 * Idempotency<Handle> idempotency = Idempotency.on(JdbiIdempotencyStore.on(jdbi));
 * Operation<Handle, String> createGroup =
 *         idempotency.operation("create-group", ResultCodec.string()).build();
 * }</pre>
 *
 * @param <C> the handle passed to domain code from the store
 */
public final class Idempotency<C> {

    private final Environment<C> environment;
    private final CommonOptions defaults;

    private Idempotency(Environment<C> environment, CommonOptions defaults) {
        this.environment = environment;
        this.defaults = defaults;
    }

    /**
     * Creates an instance on a store, with the system clock and no listener.
     *
     * @param <C> the handle passed to domain code
     * @param store the store
     * @return an instance that creates operations on it
     */
    public static <C> Idempotency<C> on(IdempotencyStore<C> store) {
        return builder(store).build();
    }

    /**
     * Returns a builder, to set a listener or a clock.
     *
     * @param <C> the handle passed to domain code
     * @param store the store
     * @return a new builder
     */
    public static <C> Builder<C> builder(IdempotencyStore<C> store) {
        return new Builder<>(store);
    }

    /**
     * Starts an operation whose effect is in the store's own database, so that effect and record commit together.
     *
     * @param <R> the type of the result
     * @param name identifies one use case and is part of every key: two use cases with the same name would answer each
     *     other's retries. It must not change while records exist
     * @param codec stores results; {@link ResultCodec#done()} for operations without one
     * @return a builder; protocol {@code CLAIM_FIRST} unless set otherwise
     * @throws InvalidKeyException if the name is not 1 to 255 visible characters
     */
    public <R> Operation.Builder<C, R> operation(String name, ResultCodec<R> codec) {
        return new Operation.Builder<>(options(name, codec, false));
    }

    /**
     * Starts an operation without a result, like {@link #operation(String, ResultCodec)}.
     *
     * @param name identifies one use case and is part of every key: two use cases with the same name would answer each
     *     other's retries. It must not change while records exist
     * @return a builder; protocol {@code CLAIM_FIRST} unless set otherwise
     * @throws InvalidKeyException if the name is not 1 to 255 visible characters
     */
    public Operation.Builder<C, Done> operation(String name) {
        return operation(name, ResultCodec.done());
    }

    /**
     * Starts an operation with an external effect: in another database, or by a remote call. The effect happens before
     * it is recorded, so a lookup has to find the effect of a leader that died between the two.
     *
     * @param <R> the type of the result
     * @param name identifies one use case and is part of every key: two use cases with the same name would answer each
     *     other's retries. It must not change while records exist
     * @param codec stores results
     * @param lookUp takes an unresolved attempt and returns what is known about its effect. It searches by key or by
     *     plan, never by similarity and never on a replica. For a planned attempt, the result is the plan. {@link
     *     Lookup#notYet} proves nothing: the record stays {@code Pending}. If the lookup throws, the record stays
     *     unchanged, unless the exception is {@linkplain ExternalOperation.Builder#refusedWhen declared}
     * @return a builder
     * @throws InvalidKeyException if the name is not 1 to 255 visible characters
     */
    public <R> ExternalOperation.Builder<C, R> external(
            String name,
            ResultCodec<R> codec,
            CheckedFunction<ExternalOperation.Unresolved<R>, Lookup<R>, Exception> lookUp) {
        return ExternalOperation.builder(options(name, codec, true), lookUp);
    }

    /**
     * Starts an operation, such as a payment, that sends a request to a provider with idempotency keys: the provider
     * responds to a second request under the same key as it did to the first. The request is stored with the claim, so
     * any process can resend it to find out the outcome.
     *
     * @param <Q> the request
     * @param <A> the response
     * @param name identifies one use case and is part of every key, as in {@link #external}
     * @param requests stores requests; a request is stored before it is sent
     * @param answers stores responses
     * @param send takes the key, whose {@link IdempotencyKey#hash()} is sent to the provider as its idempotency key,
     *     and the request. It sends one request, without retries, and returns the response. It throws if there is no
     *     response or if the provider is still processing the same key
     * @return a builder
     * @throws InvalidKeyException if the name is not 1 to 255 visible characters
     */
    public <Q, A> ProviderOperation.Builder<C, Q, A> provider(
            String name,
            ResultCodec<Q> requests,
            ResultCodec<A> answers,
            CheckedBiFunction<IdempotencyKey, Q, A, Exception> send) {
        return new ProviderOperation.Builder<>(
                options(name, new Exchange.Codec<>(requests, answers, 0), true), requests, answers, send);
    }

    private <R> OperationOptions<C, R> options(String name, ResultCodec<R> codec, boolean external) {
        return new OperationOptions<>(environment, defaults, name, codec, external);
    }

    /**
     * Deletes one batch of terminal records that are past their retention. {@code Pending} records are never purged.
     * Call it on a schedule, and repeat while it returns {@code batch}; any number of nodes may do so concurrently.
     *
     * @param batch the maximum number of records to delete in this call
     * @return how many were deleted
     * @throws IllegalArgumentException if {@code batch} is not positive
     * @throws IllegalStateException if called inside the work of an operation, or inside an open transaction
     */
    public int purgeExpired(int batch) {
        if (batch < 1) {
            throw new IllegalArgumentException("A purge batch must be at least 1, found " + batch + ".");
        }
        Nesting.requireNotInside("purgeExpired");
        return environment.store().purgeExpired(batch);
    }

    /**
     * Sets options that are rarely needed.
     *
     * @param <C> the handle passed to domain code
     */
    public static final class Builder<C> {
        private final IdempotencyStore<C> store;
        private IdempotencyListener listener = IdempotencyListener.NONE;
        private IdempotencyClock clock = IdempotencyClock.system();
        private @Nullable CallObserver observer;
        private final CommonOptions defaults = new CommonOptions();

        private Builder(IdempotencyStore<C> store) {
            this.store = store;
        }

        /**
         * Adds a listener, which is notified of what happens to keys after any listeners added earlier. Default: no
         * listener.
         *
         * @param listener the listener
         * @return this
         */
        public Builder<C> listener(IdempotencyListener listener) {
            Objects.requireNonNull(listener, "listener");
            this.listener = this.listener == IdempotencyListener.NONE ? listener : this.listener.andThen(listener);
            return this;
        }

        /**
         * Sets the clock that bounds waits and pauses. Default: {@link IdempotencyClock#system()}.
         *
         * @param clock the clock
         * @return this
         */
        public Builder<C> clock(IdempotencyClock clock) {
            this.clock = Objects.requireNonNull(clock, "clock");
            return this;
        }

        /**
         * Sets the observer of every call, for example to measure it. Default: none.
         *
         * @param observer the observer
         * @return this
         * @throws IllegalStateException if one is already set
         */
        public Builder<C> observer(CallObserver observer) {
            if (this.observer != null) {
                throw new IllegalStateException(
                        "An observer of calls is already set; let it forward to the other one.");
            }
            this.observer = Objects.requireNonNull(observer, "observer");
            return this;
        }

        /**
         * Sets the defaults of all operations that do not override them: {@code defaults(all ->
         * all.retention(Duration.ofDays(7)))}. Repeated calls accumulate.
         *
         * @param settings sets the values, each validated immediately
         * @return this
         */
        public Builder<C> defaults(Consumer<? super OperationDefaults> settings) {
            settings.accept(new OperationDefaults(defaults));
            return this;
        }

        /**
         * Builds the instance.
         *
         * @return an instance that creates operations on the store
         */
        public Idempotency<C> build() {
            IdempotencyClock observed =
                    observer == null ? clock : Objects.requireNonNull(observer.observing(clock), "observing(clock)");
            return new Idempotency<>(
                    new Environment<>(store, listener, observed, observer), new CommonOptions(defaults));
        }
    }

    /** Ignoring the return value is a mistake; Error Prone recognizes this annotation by its name. */
    @Retention(RetentionPolicy.CLASS)
    @Target(ElementType.METHOD)
    @interface CheckReturnValue {}
}
