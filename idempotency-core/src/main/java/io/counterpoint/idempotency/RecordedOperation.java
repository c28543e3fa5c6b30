package io.counterpoint.idempotency;

import io.counterpoint.idempotency.Idempotency.CheckReturnValue;
import io.counterpoint.idempotency.engine.Engine;
import io.counterpoint.idempotency.engine.OperationSettings;
import io.counterpoint.idempotency.function.CheckedBiFunction;
import io.counterpoint.idempotency.function.CheckedFunction;
import io.counterpoint.idempotency.spi.DomainTable;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A named use case whose record is a row of the domain: the row that the use case inserts anyway has one more column, for the
 * key, with a unique index. There is no other record, and no other statement. Immutable and thread-safe.
 *
 * <p>The library inserts the row first, then the work does the rest, in the same transaction. From the answer to the insert
 * on the key is held: every other insert of it waits, also behind a commit that is under way.
 *
 * <p>Promised: at most one row for a key; a committed row answers every later call with its key, as long as it is there; what
 * the call throws, but for {@link IdempotencyException.OutcomeUnknownException}, means that this call has no effect. Not
 * promised, unlike with {@link Operation}: a failure is not remembered, so the key of failed work is free. A row that is deleted, or
 * whose key is changed, makes its key new. A replay shows the row as it is now.
 *
 * <p>A preview: it may change in any version.
 *
 * @param <C> the handle that the work gets
 * @param <R> the type of the result
 */
public final class RecordedOperation<C, R> {

    private final OperationSettings<C, R> settings;
    private final DomainTable<C> table;

    private RecordedOperation(OperationSettings<C, R> settings, DomainTable<C> table) {
        this.settings = settings;
        this.table = table;
    }

    /**
     * Executes an attempt, or answers with the row that an earlier call of the same key has inserted.
     *
     * <p>Row and work are one transaction, which may run several times, each after the earlier run was rolled back. So the
     * work must not act on anything but its handle. It leaves the row of the key alone. What it throws is thrown on, as the
     * same object, unless the row of another call stands by then.
     *
     * @param <X> what the work throws
     * @param attempt who asks, under which key, with which request
     * @param row the columns of the row, without those of key and request
     * @param work the rest of the transaction: takes the handle, which refuses to end the transaction, and returns the
     *     result, not null
     * @return {@link Outcome.Executed}, {@link Outcome.Replayed}, {@link Outcome.KeyReused}, or {@link Outcome.InProgress}
     *     where another caller's transaction kept the insert waiting for too long
     * @throws X what the work threw, when the row of no call stands
     * @throws IdempotencyException.NotStartedException if the row was refused, for another reason than its key
     * @throws IdempotencyException if the store could not be asked, or a commit's fate could not be learned
     * @throws IllegalArgumentException if the attempt has a request, and the table no column for it; or if the columns of the
     *     row are not acceptable
     * @throws IllegalStateException if called inside another call, or inside an open transaction
     */
    @CheckReturnValue
    public <X extends Exception> Outcome<R> execute(
            Attempt attempt, Map<String, ? extends @Nullable Object> row, CheckedFunction<C, R, X> work) throws X {
        return attempt.call(settings.name(), request -> {
            if (!table.comparesRequests() && !request.fingerprint().equals(Fingerprint.ofParts())) {
                throw new IllegalArgumentException(
                        request.key() + ": this attempt carries a request, and the table has no column"
                                + " that keeps it, so another request under the key would not be noticed. Name a column for it, or"
                                + " make attempts without a request.");
            }
            return Engine.execute(
                    settings.over(table.inserting(row)),
                    request,
                    null,
                    (handle, key, plan) -> work.apply(handle.get()));
        });
    }

    /**
     * The full key of an attempt, whose {@link IdempotencyKey#id} the row has.
     *
     * @param attempt the attempt
     * @return its key for this operation
     */
    public IdempotencyKey keyOf(Attempt attempt) {
        return attempt.keyFor(settings.name());
    }

    @Override
    public String toString() {
        return "RecordedOperation" + settings;
    }

    /**
     * Builds an operation. Every value has a default; each is checked when it is set.
     *
     * @param <C> the handle
     * @param <R> the result
     */
    public static final class Builder<C, R> {

        private final OperationOptions<C, R> options;
        private final DomainTable<C> table;

        Builder(
                OperationOptions<C, R> options,
                DomainTable<C> table,
                CheckedBiFunction<? super C, IdempotencyKey, Optional<R>, Exception> find) {
            this.options = options;
            this.table = table;
            options.lookUp = (handle, key, plan) -> find.apply(handle.get(), key);
            options.wait = Duration.ofSeconds(1);
        }

        /**
         * Lets duplicates wait for a running leader of their own process, without a connection. Default: 1 second. Behind a
         * leader of another process the database lets the insert wait, as long as its {@code lock_timeout}.
         *
         * @param wait the longest wait; at most 1 minute
         * @return this
         * @throws IllegalArgumentException if not positive or too long
         */
        public Builder<C, R> waitAtMost(Duration wait) {
            options.wait = options.positive("the longest wait", wait, Duration.ofMinutes(1));
            return this;
        }

        /**
         * Sets how long a call settles a commit that was not answered, as for other operations. Default: 5 seconds.
         *
         * @param bound the longest time
         * @return this
         * @throws IllegalArgumentException if not positive or longer than 1 hour
         */
        public Builder<C, R> settleWithin(Duration bound) {
            options.settle = options.positive("the time to settle a commit", bound, Duration.ofHours(1));
            return this;
        }

        /**
         * Sets how often row and work run again after they were rolled back for a transient reason. Default: 3.
         *
         * @param retries from 0 to 100
         * @return this
         * @throws IllegalArgumentException if outside these bounds
         */
        public Builder<C, R> retries(int retries) {
            options.retries = options.between("the number of retries", 0, 100, retries);
            return this;
        }

        /**
         * Runs row and work again on further exceptions too. A predicate that throws is ignored.
         *
         * @param thrown true for these exceptions
         * @return this
         */
        public Builder<C, R> retryOn(Predicate<? super Throwable> thrown) {
            options.retryOn = thrown;
            return this;
        }

        /**
         * Builds.
         *
         * @return the operation
         */
        public RecordedOperation<C, R> build() {
            return new RecordedOperation<>(options.settingsOfRows(options.wait), table);
        }
    }
}
