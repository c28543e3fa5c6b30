package io.counterpoint.idempotency.inbox;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyKey.InvalidKeyException;
import io.counterpoint.idempotency.inbox.DeadLetter.Reason;
import io.counterpoint.idempotency.inbox.InboxListener.Counts;
import io.counterpoint.idempotency.inbox.Receipt.Fate;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Handles messages so that each has one effect, however often it is delivered and however often its producer sent it.
 * Thread-safe: consumers of several partitions share an inbox.
 *
 * <p>The effect of a message and the inbox's memory of it commit in one transaction of the database. A message is
 * acknowledged to the broker after that commit. The inbox remembers a message for its retention. A copy that arrives
 * later has its effect again.
 *
 * <p>Promised, within the retention: one effect for each identity. A message whose fate is not certain is never
 * acknowledged. A message is given up only in the transaction that stores its dead letter. Messages with equal order keys
 * have their effects in the order of delivery. Condition: the handler acts through its handle only, and nothing else uses
 * operations with this inbox's name.
 *
 * @param <C> the handle of the transaction
 * @param <M> the broker's type of messages
 */
public final class Inbox<C, M> {

    /** The scope of all keys: a message that comes through another queue is the same message. */
    static final String SCOPE = "inbox";

    private final String name;
    private final MessageFormat<M> format;
    private final Identity<M> identity;
    private final Function<? super M, Fingerprint> fingerprint;
    private final Duration retention;
    private final InboxListener listener;
    private final LetterBox<C, M> letters;
    private final Processing<C, M> processing;

    Inbox(InboxBuilder<C, M> builder, BatchHandler<C, M> handler, boolean handlesOneByOne) {
        this.name = builder.name;
        this.format = builder.format;
        this.identity = builder.required(builder.identity, "identity");
        this.fingerprint = builder.fingerprint;
        this.retention = builder.retention;
        this.listener = new IsolatedListener(builder.listener);
        DeadLetters<C> deadLetters = builder.required(builder.deadLetters, "deadLetters");
        this.letters = new LetterBox<>(builder, deadLetters);
        this.processing = new Processing<>(builder, deadLetters, letters, handler, handlesOneByOne);
    }

    /**
     * A builder.
     *
     * @param <C> the handle of the transaction
     * @param <M> the broker's type of messages
     * @param store where messages are remembered: in the database of their effects
     * @param name the inbox's name, of up to 200 visible characters. It must not change while messages are remembered
     * @param format how to read a message
     * @return a new builder
     */
    public static <C, M> InboxBuilder<C, M> of(IdempotencyStore<C> store, String name, MessageFormat<M> format) {
        return new InboxBuilder<>(store, name, format);
    }

    /**
     * Handles messages, in the order of the list.
     *
     * <p>A message that is postponed holds up the later ones with its order key: those that have no effect yet are postponed
     * too. The others go on. It does not throw because of a message or of the database.
     *
     * @param messages in the order in which the broker delivered them
     * @return what became of each, in the same order
     * @throws VirtualMachineError if a handler throws one, except {@link StackOverflowError}. Nothing of this call may
     *     then be acknowledged
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

    /** A message without an acceptable identity has its receipt at once. The others are in flight. */
    private @Nullable Receipt<M> givenUp(M message, InFlight<M> inFlight) {
        Optional<String> found;
        try {
            found = identity.of(message);
        } catch (RuntimeException unreadable) {
            return letters.giveUp(message, Reason.NO_IDENTITY, unreadable.toString(), Optional.empty());
        }
        if (found.isEmpty()) {
            return letters.giveUp(message, Reason.NO_IDENTITY, "", found);
        }
        try {
            Attempt attempt = Attempt.in(SCOPE).key(found.get()).fingerprint(fingerprint.apply(message));
            inFlight.add(message, format.orderKey(message), found.get(), attempt, processing.keyOf(attempt));
            return null;
        } catch (InvalidKeyException refused) {
            return letters.giveUp(message, Reason.INVALID_IDENTITY, refused.toString(), found);
        }
    }

    private void notifyListener(List<Receipt<M>> receipts, Duration duration) {
        Map<Fate, Integer> counts = new EnumMap<>(Fate.class);
        for (Receipt<M> receipt : receipts) {
            counts.merge(receipt.fate(), 1, Integer::sum);
            if (receipt.fate() == Fate.POSTPONED && receipt.cause().isPresent()) {
                listener.postponed(
                        name, format.origin(receipt.message()), receipt.cause().get());
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
     * The inbox's name.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * For how long a message is remembered.
     *
     * @return the retention
     */
    public Duration retention() {
        return retention;
    }

    /**
     * The listener, for the loops that drive this inbox.
     *
     * @return the listener; it throws nothing
     */
    public InboxListener listener() {
        return listener;
    }

    @Override
    public String toString() {
        return "Inbox[" + name + ", retention " + retention + "]";
    }
}
