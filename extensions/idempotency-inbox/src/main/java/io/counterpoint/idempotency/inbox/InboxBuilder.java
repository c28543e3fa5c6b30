package io.counterpoint.idempotency.inbox;

import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Builds an inbox. Identity and dead letters are required.
 *
 * @param <C> the handle of the transaction
 * @param <M> the broker's message type
 */
public final class InboxBuilder<C, M> {
    private static final int LONGEST_NAME = 200;

    final IdempotencyStore<C> store;
    final String name;
    final MessageFormat<M> format;

    @Nullable
    Identity<M> identity;

    @Nullable
    DeadLetters<C> deadLetters;

    Function<? super M, Fingerprint> fingerprint;
    final List<Predicate<? super Throwable>> retryOn = new ArrayList<>();
    Duration retention = Duration.ofDays(15);
    final List<InboxListener> listeners = new ArrayList<>();

    InboxBuilder(IdempotencyStore<C> store, String name, MessageFormat<M> format) {
        if (name.length() > LONGEST_NAME) {
            throw new IllegalArgumentException("The name of an inbox must be at most " + LONGEST_NAME + " characters"
                    + " long, found " + name.length() + ".");
        }
        // Names the operation, so the same characters are rejected.
        IdempotencyKey unused =
                IdempotencyKey.inScope(Inbox.SCOPE).operation(name).value("x");
        this.store = store;
        this.name = name;
        this.format = format;
        this.fingerprint = message ->
                Fingerprint.ofBytes(Objects.requireNonNull(format.content(message), "The content must not be null."));
    }

    /**
     * Sets the identity. There is no default.
     *
     * @param identity reads the identity that the producer chose
     * @return this
     */
    public InboxBuilder<C, M> identity(Identity<M> identity) {
        this.identity = identity;
        return this;
    }

    /**
     * Sets where dead letters are stored. There is no default.
     *
     * @param deadLetters stores them in the database of the inbox
     * @return this
     */
    public InboxBuilder<C, M> deadLetters(DeadLetters<C> deadLetters) {
        this.deadLetters = deadLetters;
        return this;
    }

    /**
     * Sets what is compared to decide whether two messages with the same identity are the same. Default: their content,
     * byte for byte. A second message that differs becomes a dead letter, as does one for which this throws or returns
     * null.
     *
     * @param fingerprint computes a fingerprint from the parts that all copies of a message share
     * @return this
     */
    public InboxBuilder<C, M> fingerprint(Function<? super M, Fingerprint> fingerprint) {
        this.fingerprint = fingerprint;
        return this;
    }

    /**
     * Postpones a message instead of giving up on it when its handler or a function that reads it throws one of these
     * exceptions. It is redelivered without limit and holds up its order key in the meantime. Transient faults of the
     * database, an {@link InterruptedException}, a {@link LinkageError}, and a {@link VirtualMachineError} other than
     * {@link StackOverflowError} always postpone the message, and so does an exception that one of these has caused.
     * Repeated calls accumulate.
     *
     * @param thrown true for transient exceptions; if the predicate itself throws, the message is given up
     * @return this
     */
    public InboxBuilder<C, M> retryOn(Predicate<? super Throwable> thrown) {
        retryOn.add(Objects.requireNonNull(thrown, "thrown"));
        return this;
    }

    /**
     * Sets how long a message is remembered. It must be longer than the broker may redeliver it and its producer may
     * resend it. Default: 15 days, which is longer than Kafka keeps a message by default.
     *
     * @param retention the retention
     * @return this
     */
    public InboxBuilder<C, M> retention(Duration retention) {
        this.retention = retention;
        return this;
    }

    /**
     * Adds a listener, after any listeners added earlier. Default: none.
     *
     * @param listener the listener
     * @return this
     */
    public InboxBuilder<C, M> listener(InboxListener listener) {
        listeners.add(Objects.requireNonNull(listener, "listener"));
        return this;
    }

    /**
     * Builds an inbox that handles messages one by one.
     *
     * @param handler handles a message
     * @return the inbox
     * @throws IllegalStateException if identity or dead letters are missing
     * @throws IllegalArgumentException if the retention is not positive or longer than 3,650 days
     */
    public Inbox<C, M> build(MessageHandler<C, M> handler) {
        return new Inbox<>(this, (handle, messages) -> handler.handle(handle, messages.get(0)), true);
    }

    /**
     * Builds an inbox that handles several messages at once.
     *
     * @param handler handles several messages
     * @return the inbox
     * @throws IllegalStateException if identity or dead letters are missing
     * @throws IllegalArgumentException if the retention is not positive or longer than 3,650 days
     */
    public Inbox<C, M> buildForBatches(BatchHandler<C, M> handler) {
        return new Inbox<>(this, handler, false);
    }

    <T> T required(@Nullable T value, String method) {
        if (value == null) {
            throw new IllegalStateException("Inbox " + name + ": call " + method + "(...) before build.");
        }
        return value;
    }
}
