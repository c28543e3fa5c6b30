package io.counterpoint.idempotency.inbox;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one call of {@link Inbox#process}, in order of delivery, and what is certain about each. Confined to
 * one thread.
 *
 * @param <M> the broker's message type
 */
final class InFlight<M> {

    private final List<Entry<M>> entries = new ArrayList<>();
    private final Map<IdempotencyKey, Entry<M>> byKey = new HashMap<>();
    private final Map<Object, Sequence<M>> sequences = new HashMap<>();
    private boolean holdsUpAll;
    private final Set<IdempotencyKey> recorded = new HashSet<>();
    private final Set<IdempotencyKey> handledInTransaction = new HashSet<>();

    /** A message with an acceptable identity. */
    static final class Entry<M> {
        final M message;
        final String identity;
        final Attempt attempt;
        final IdempotencyKey key;
        private final Sequence<M> sequence;
        private final int place;
        private final boolean isHeldUp;
        private boolean begun;
        private @Nullable Throwable thrown;

        private Entry(
                M message,
                String identity,
                Attempt attempt,
                IdempotencyKey key,
                Sequence<M> sequence,
                boolean isHeldUp) {
            this.isHeldUp = isHeldUp;
            this.message = message;
            this.identity = identity;
            this.attempt = attempt;
            this.key = key;
            this.sequence = sequence;
            this.place = sequence.entries.size();
        }

        /** Records what the handler threw for this message alone. */
        void threw(Throwable caught) {
            thrown = caught;
        }

        /** The last exception of the handler, or else the engine's description. */
        String error(Failure failure) {
            return thrown == null ? failure.message() : MessageReader.textOf(thrown);
        }
    }

    /** The messages with one order key, the first of which are recorded or handled in the current transaction. */
    static final class Sequence<M> {
        private final List<Entry<M>> entries = new ArrayList<>();
        private int certain;
        private boolean holdsUp;
    }

    /** Returns the messages with this order key. */
    Sequence<M> sequence(Object orderKey) {
        return sequences.computeIfAbsent(orderKey, unused -> new Sequence<>());
    }

    /**
     * Records that a message was postponed before it was in flight. Later messages in its sequence must have no effect.
     */
    void holdUp(Sequence<M> sequence) {
        sequence.holdsUp = true;
    }

    /** Does the same for a message with an unknown order key, which may be that of any later message. */
    void holdUpAll() {
        holdsUpAll = true;
    }

    void add(M message, Sequence<M> sequence, String identity, Attempt attempt, IdempotencyKey key) {
        Entry<M> entry = new Entry<>(message, identity, attempt, key, sequence, holdsUpAll || sequence.holdsUp);
        sequence.entries.add(entry);
        entries.add(entry);
        byKey.putIfAbsent(key, entry);
    }

    List<Entry<M>> entries() {
        return entries;
    }

    /** Returns the message whose attempt has this key. */
    Entry<M> of(IdempotencyKey key) {
        Entry<M> entry = byKey.get(key);
        if (entry == null) {
            throw new IllegalStateException(
                    key + ": an attempt of this inbox cannot fail without its message, which is unavailable.");
        }
        return entry;
    }

    /** Whether this message was passed to the handler. */
    boolean isBegun(IdempotencyKey key) {
        Entry<M> entry = byKey.get(key);
        return entry != null && entry.begun;
    }

    /** Messages that were handled earlier but not recorded were rolled back. */
    void beginTransaction() {
        handledInTransaction.clear();
        sequences.values().forEach(sequence -> sequence.certain = 0);
    }

    /** Records that the fate of this message is committed. */
    void record(IdempotencyKey key) {
        recorded.add(key);
    }

    /**
     * Begins to handle messages. Throws if an earlier message with the same order key is neither recorded nor handled
     * in the same transaction, because its leader may be elsewhere and may roll back.
     */
    void begin(List<Entry<M>> together) {
        for (Entry<M> entry : together) {
            Sequence<M> sequence = entry.sequence;
            while (sequence.certain < entry.place && isCertain(sequence.entries.get(sequence.certain))) {
                sequence.certain++;
            }
            if (entry.isHeldUp || sequence.certain < entry.place) {
                throw new HeldUpException();
            }
            handledInTransaction.add(entry.key);
            entry.begun = true;
        }
    }

    private boolean isCertain(Entry<M> entry) {
        return recorded.contains(entry.key) || handledInTransaction.contains(entry.key);
    }
}
