package io.counterpoint.idempotency.inbox;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.InvalidKeyException;
import io.counterpoint.idempotency.inbox.DeadLetter.Reason;
import io.counterpoint.idempotency.inbox.InboxListener.Counts;
import io.counterpoint.idempotency.inbox.MessageReader.Unreadable;
import io.counterpoint.idempotency.inbox.Receipt.Fate;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Handles messages so that each has one effect, no matter how often it is delivered or sent by its producer.
 * Thread-safe: consumers of several partitions can share an inbox.
 *
 * <p>The effect of a message and the inbox's memory of it commit in one database transaction. The message is
 * acknowledged to the broker after that commit. The inbox remembers a message for the retention period; a copy that
 * arrives later takes effect again.
 *
 * <p>Promised, within the retention period: one effect per identity; a message whose fate is uncertain is never
 * acknowledged; a message is given up only in the transaction that stores its dead letter; messages with equal order
 * keys take effect in order of delivery. Conditions: the handler acts only through its handle, and nothing else
 * uses operations with this inbox's name.
 *
 * @param <C> the handle of the transaction
 * @param <M> the broker's message type
 */
public final class Inbox<C, M> {

    /** The scope of all keys: a message that arrives through another queue is the same message. */
    static final String SCOPE = "inbox";

    private final String name;
    private final MessageReader<M> reader;
    private final Duration retention;
    private final InboxListener listener;
    private final LetterBox<C, M> letters;
    private final Processing<C, M> processing;

    Inbox(InboxBuilder<C, M> builder, BatchHandler<C, M> handler, boolean handlesOneByOne) {
        this.name = builder.name;
        this.reader = new MessageReader<>(builder);
        this.retention = builder.retention;
        this.listener = new IsolatedListener(new InboxLog(System::nanoTime), builder.listeners);
        DeadLetters<C> deadLetters = builder.required(builder.deadLetters, "deadLetters");
        Passing passing = new Passing(builder);
        this.letters = new LetterBox<>(builder, deadLetters, reader, passing, listener);
        this.processing = new Processing<>(builder, deadLetters, letters, passing, handler, handlesOneByOne);
    }

    /**
     * Returns a builder.
     *
     * @param <C> the handle of the transaction
     * @param <M> the broker's message type
     * @param store remembers messages, in the database of their effects
     * @param name the inbox's name, of up to 200 visible characters. It must not change while messages are remembered
     * @param format reads messages
     * @return a new builder
     */
    public static <C, M> InboxBuilder<C, M> builder(IdempotencyStore<C> store, String name, MessageFormat<M> format) {
        return new InboxBuilder<>(store, name, format);
    }

    /**
     * Checks, at application startup, the store's table and the storage of dead letters. Anything it writes is rolled
     * back.
     *
     * @return this
     * @throws IllegalStateException if one of them is unfit; the message says what to do
     */
    public Inbox<C, M> checkTables() {
        letters.checkTables();
        return this;
    }

    /**
     * Handles messages in the order of the list.
     *
     * <p>A postponed message holds up later ones with the same order key: those that have no effect yet are postponed
     * too. All others proceed. This method does not throw because of a message, a function that reads it, its handler
     * or the database. A call within another call of the library postpones all messages.
     *
     * <p>It does not return before these functions return.
     *
     * @param messages the messages in the order in which the broker delivered them
     * @return the outcome of each, in the same order
     */
    public List<Receipt<M>> process(List<? extends M> messages) {
        long start = System.nanoTime();
        InFlight<M> inFlight = new InFlight<>();
        List<@Nullable Receipt<M>> given = new ArrayList<>(messages.size());
        for (M message : messages) {
            given.add(givenUp(message, inFlight));
        }
        Iterator<Receipt<M>> handled = processing.process(inFlight).iterator();
        List<Receipt<M>> receipts = new ArrayList<>(messages.size());
        for (Receipt<M> letter : given) {
            receipts.add(letter != null ? letter : handled.next());
        }
        notifyListener(receipts, Duration.ofNanos(System.nanoTime() - start));
        return receipts;
    }

    /** Returns the receipt of a message that cannot be read. All others are in flight. */
    private @Nullable Receipt<M> givenUp(M message, InFlight<M> inFlight) {
        Optional<String> identity = Optional.empty();
        Receipt<M> receipt;
        try {
            identity = reader.identity(message);
            if (identity.isPresent()) {
                Attempt attempt = attempt(message, identity.get());
                inFlight.add(
                        message,
                        reader.sequence(message, inFlight),
                        identity.get(),
                        attempt,
                        processing.keyOf(attempt));
                return null;
            }
            receipt = letters.giveUp(message, Reason.NO_IDENTITY, "", identity);
        } catch (InvalidKeyException refused) {
            receipt = letters.giveUp(message, Reason.INVALID_IDENTITY, refused.toString(), identity);
        } catch (Unreadable unreadable) {
            Reason reason = identity.isPresent() ? Reason.UNREADABLE : Reason.NO_IDENTITY;
            receipt = letters.giveUp(message, reason, unreadable, identity);
        }
        if (!receipt.isAcknowledgeable()) {
            holdUpAfter(message, inFlight);
        }
        return receipt;
    }

    private Attempt attempt(M message, String identity) throws Unreadable {
        Attempt.WithKey attempt = Attempt.inScope(SCOPE).key(identity);
        return attempt.fingerprint(reader.fingerprint(message));
    }

    /** The message will be redelivered and may then have an effect, before those behind it. */
    private void holdUpAfter(M message, InFlight<M> inFlight) {
        try {
            inFlight.holdUp(reader.sequence(message, inFlight));
        } catch (Unreadable unknownOrder) {
            inFlight.holdUpAll();
        }
    }

    private void notifyListener(List<Receipt<M>> receipts, Duration duration) {
        Map<Fate, Integer> counts = new EnumMap<>(Fate.class);
        for (Receipt<M> receipt : receipts) {
            counts.merge(receipt.fate(), 1, Integer::sum);
            if (receipt.fate() == Fate.POSTPONED && receipt.cause().isPresent()) {
                listener.postponed(
                        name,
                        reader.shownOrigin(receipt.message()),
                        receipt.cause().get());
            }
        }
        listener.processed(
                name,
                new Counts(
                        counts.getOrDefault(Fate.PROCESSED, 0),
                        counts.getOrDefault(Fate.DUPLICATE, 0),
                        counts.getOrDefault(Fate.DEAD_LETTER, 0),
                        counts.getOrDefault(Fate.POSTPONED, 0)),
                duration);
    }

    /**
     * Returns the inbox's name.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * Returns how long a message is remembered.
     *
     * @return the retention
     */
    public Duration retention() {
        return retention;
    }

    /**
     * Returns the listener, for the loops that drive this inbox.
     *
     * @return the listener, which never throws
     */
    public InboxListener listener() {
        return listener;
    }

    @Override
    public String toString() {
        return "Inbox[" + name + ", retention " + retention + "]";
    }
}
