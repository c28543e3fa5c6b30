package io.counterpoint.idempotency.inbox;

import io.counterpoint.idempotency.Fingerprint;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Applies the user's functions to one message. If one of them throws or returns null, this affects only that message
 * and results in {@link Unreadable}.
 *
 * @param <M> the broker's message type
 */
final class MessageReader<M> {

    private final MessageFormat<M> format;
    private final Identity<M> identity;
    private final Function<? super M, Fingerprint> fingerprint;

    MessageReader(InboxBuilder<?, M> options) {
        this.format = options.format;
        this.identity = options.required(options.identity, "identity");
        this.fingerprint = options.fingerprint;
    }

    Optional<String> identity(M message) throws Unreadable {
        return ask("identity", () -> identity.of(message));
    }

    Fingerprint fingerprint(M message) throws Unreadable {
        return ask("fingerprint", () -> fingerprint.apply(message));
    }

    /** The sequence of all messages with an equal order key. */
    InFlight.Sequence<M> sequence(M message, InFlight<M> inFlight) throws Unreadable {
        return ask(
                "order key",
                () -> inFlight.sequence(
                        Objects.requireNonNull(format.orderKey(message), "The order key must not be null.")));
    }

    byte[] content(M message) throws Unreadable {
        return ask("content", () -> format.content(message));
    }

    String origin(M message) throws Unreadable {
        return ask("origin", () -> format.origin(message));
    }

    /** The origin for people, or a note if it cannot be read. */
    String shownOrigin(M message) {
        try {
            return origin(message);
        } catch (Unreadable unreadable) {
            return "unknown, " + unreadable.text();
        }
    }

    private static <T> T ask(String what, Callable<@Nullable T> function) throws Unreadable {
        try {
            return Objects.requireNonNull(function.call(), "It is null.");
        } catch (Throwable thrown) {
            throw new Unreadable(what, thrown);
        }
    }

    /** The text of a throwable or a message, or its class if that throws. */
    static String textOf(@Nullable Object object) {
        try {
            return String.valueOf(object);
        } catch (Throwable unprintable) {
            return String.valueOf(object == null ? null : object.getClass().getName());
        }
    }

    /** A function threw or returned null. */
    static final class Unreadable extends Exception {
        private static final long serialVersionUID = 1L;

        private final String what;
        private final Throwable thrown;

        private Unreadable(String what, Throwable thrown) {
            super(null, thrown, false, false);
            this.what = what;
            this.thrown = thrown;
        }

        Throwable thrown() {
            return thrown;
        }

        String text() {
            return what + ": " + textOf(thrown);
        }
    }
}
