package io.counterpoint.idempotency.inbox;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.function.CheckedSupplier;
import io.counterpoint.idempotency.inbox.DeadLetter.Reason;
import io.counterpoint.idempotency.inbox.MessageReader.Unreadable;
import io.counterpoint.idempotency.inbox.Receipt.Fate;
import io.counterpoint.idempotency.internal.Rethrow;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.Session;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** Writes dead letters. Those of messages without a usable identity are stored once per origin and content. */
final class LetterBox<C, M> {

    private final String inbox;
    private final IdempotencyStore<C> store;
    private final MessageReader<M> reader;
    private final Passing passing;
    private final DeadLetters<C> deadLetters;
    private final InboxListener listener;
    private final Operation<C, Done> operation;

    LetterBox(
            InboxBuilder<C, M> options,
            DeadLetters<C> deadLetters,
            MessageReader<M> reader,
            Passing passing,
            InboxListener listener) {
        this.inbox = options.name;
        this.reader = reader;
        this.passing = passing;
        this.deadLetters = deadLetters;
        this.store = options.store;
        this.listener = listener;
        this.operation = Idempotency.on(options.store)
                .operation(inbox + ".dead-letters")
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .retention(options.retention)
                .releaseOn(thrown -> true)
                .build();
    }

    DeadLetter letter(IdempotencyKey key, Reason reason, String error, M message, Optional<String> identity) {
        byte[] content = new byte[0];
        String whole = error;
        try {
            content = reader.content(message);
        } catch (Unreadable unreadable) {
            requireLasting(unreadable);
            whole = error.contains(unreadable.text()) ? error : error + " (" + unreadable.text() + ")";
        }
        return new DeadLetter(
                key.hash(),
                inbox,
                reason,
                storable(whole),
                storable(reader.shownOrigin(message)),
                identity.map(LetterBox::storable),
                content);
    }

    /** Checks both tables. A fault would otherwise postpone every message, or every one that is given up. */
    void checkTables() {
        IdempotencyStore<C> unused = store.checkTable();
        IdempotencyKey probe =
                operation.keyOf(Attempt.inScope(Inbox.SCOPE).key("check").withoutRequest());
        Reverted reverted = new Reverted();
        try (Session<C> session = store.open(probe)) {
            Void unusedEnd = session.inTransaction((steps, scope) -> {
                check(scope.handle());
                throw reverted;
            });
        } catch (Exception thrown) {
            if (thrown != reverted) {
                throw new IllegalStateException(
                        "Inbox " + inbox + ": the dead letters cannot be written (" + thrown + "). Create the table"
                                + " with dead-letter.sql, or dead-letter-mariadb.sql on MariaDB and MySQL, and grant"
                                + " this user INSERT and SELECT.",
                        thrown);
            }
        }
    }

    private void check(C handle) {
        try {
            deadLetters.check(handle);
        } catch (Exception thrown) {
            throw Rethrow.unchanged(thrown);
        }
    }

    /** Rolls back what a check wrote. */
    private static final class Reverted extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Reverted() {
            super("The check is over.", null, false, false);
        }
    }

    /** Truncates and sanitizes a text by the rules for failures. */
    private static String storable(String text) {
        return new Failure("", text).message();
    }

    /** A letter must not omit anything that may be readable later. */
    private void requireLasting(Unreadable unreadable) {
        if (passing.test(unreadable.thrown())) {
            throw Rethrow.unchanged(unreadable.thrown());
        }
    }

    /** Stores the letter of a message that cannot be read, unless it may be readable later. */
    Receipt<M> giveUp(M message, Reason reason, Unreadable unreadable, Optional<String> identity) {
        return passing.test(unreadable.thrown())
                ? postponed(message, unreadable.thrown())
                : giveUp(message, reason, unreadable.text(), identity);
    }

    /** Stores the letter of a message that cannot be remembered by its identity, under the name of its delivery. */
    Receipt<M> giveUp(M message, Reason reason, String error, Optional<String> identity) {
        try {
            Attempt attempt = Attempt.inScope(Inbox.SCOPE)
                    .key(HexFormat.of().formatHex(nameOf(message, identity).toBytes()))
                    .withoutRequest();
            DeadLetter letter = letter(operation.keyOf(attempt), reason, error, message, identity);
            Done unused = operation
                    .execute(attempt, handle -> {
                        deadLetters.store(handle, letter);
                        return Done.DONE;
                    })
                    .orElseThrow();
            return delivered(message, reason);
        } catch (Throwable thrown) {
            return postponed(message, thrown);
        }
    }

    /**
     * The name of a delivery: its origin with identity and content, because a broker may give several messages one
     * origin. If neither origin nor content can be read, the message's own text.
     */
    private Fingerprint nameOf(M message, Optional<String> identity) {
        Optional<String> origin = ifReadable(() -> reader.origin(message));
        Optional<byte[]> content = ifReadable(() -> reader.content(message)).map(LetterBox::digest);
        String otherwise = origin.isPresent() || content.isPresent() ? "" : MessageReader.textOf(message);
        return Fingerprint.ofParts(
                numbers(origin.orElse("")), numbers(identity.orElse("")), content.orElse(null), numbers(otherwise));
    }

    private <T> Optional<T> ifReadable(CheckedSupplier<T, Unreadable> part) {
        try {
            return Optional.of(part.get());
        } catch (Unreadable unreadable) {
            requireLasting(unreadable);
            return Optional.empty();
        }
    }

    private static byte[] digest(byte[] content) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(content);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is missing, although every Java platform provides it.", e);
        }
    }

    /** The characters of a text, which may include unpaired surrogates. */
    private static List<Integer> numbers(String text) {
        return text.chars().boxed().toList();
    }

    /** Returns the receipt of a message whose letter is committed. */
    Receipt<M> delivered(M message, Reason reason) {
        listener.deadLetter(inbox, reader.shownOrigin(message), reason);
        return new Receipt<>(message, Fate.DEAD_LETTER, Optional.empty());
    }

    private static <M> Receipt<M> postponed(M message, Throwable thrown) {
        Passing.keepInterrupt(thrown);
        return new Receipt<>(message, Fate.POSTPONED, Optional.of(thrown));
    }
}
