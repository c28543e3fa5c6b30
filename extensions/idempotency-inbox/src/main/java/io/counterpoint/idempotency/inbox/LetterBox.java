package io.counterpoint.idempotency.inbox;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.inbox.DeadLetter.Reason;
import io.counterpoint.idempotency.inbox.Receipt.Fate;
import java.util.HexFormat;
import java.util.Optional;

/** Writes dead letters. Those of messages without a usable identity are stored once for each origin. */
final class LetterBox<C, M> {

    private final String inbox;
    private final MessageFormat<M> format;
    private final DeadLetters<C> deadLetters;
    private final InboxListener listener;
    private final Operation<C, Done> operation;

    LetterBox(InboxBuilder<C, M> options, DeadLetters<C> deadLetters) {
        this.inbox = options.name;
        this.format = options.format;
        this.deadLetters = deadLetters;
        this.listener = new IsolatedListener(options.listener);
        this.operation = Idempotency.on(options.store)
                .operation(inbox + ".dead-letters")
                .singleTransaction()
                .retention(options.retention)
                .releaseOn(thrown -> true)
                .build();
    }

    DeadLetter letter(IdempotencyKey key, Reason reason, String error, M message, Optional<String> identity) {
        return new DeadLetter(
                key.hash(),
                inbox,
                reason,
                storable(error),
                storable(format.origin(message)),
                identity.map(LetterBox::storable),
                format.content(message));
    }

    /** Cut and cleaned by the rules for failures. */
    private static String storable(String text) {
        return new Failure("", text).message();
    }

    /** Stores the letter of a message that cannot be remembered by its identity: under the name of its origin. */
    Receipt<M> giveUp(M message, Reason reason, String error, Optional<String> identity) {
        String origin =
                HexFormat.of().formatHex(Fingerprint.of(format.origin(message)).toBytes());
        Attempt attempt = Attempt.in(Inbox.SCOPE).key(origin).request();
        DeadLetter letter = letter(operation.keyOf(attempt), reason, error, message, identity);
        try {
            Done unused = operation
                    .execute(attempt, handle -> {
                        deadLetters.store(handle, letter);
                        return Done.DONE;
                    })
                    .orElseThrow();
            return delivered(message, reason);
        } catch (Exception thrown) {
            if (thrown instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            return new Receipt<>(message, Fate.POSTPONED, Optional.of(thrown));
        }
    }

    /** The letter of this message is committed. */
    Receipt<M> delivered(M message, Reason reason) {
        listener.deadLetter(inbox, format.origin(message), reason);
        return new Receipt<>(message, Fate.DEAD_LETTER, Optional.empty());
    }
}
