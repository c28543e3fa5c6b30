package io.counterpoint.idempotency.inbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A message of a queue that is a list. */
record Letter(String place, String order, @Nullable String id, String text) {

    static Letter of(String id, String text) {
        return new Letter("queue/" + id, "queue", id, text);
    }

    Letter at(String place) {
        return new Letter(place, order, id, text);
    }

    Letter ordered(String order) {
        return new Letter(place, order, id, text);
    }

    static final MessageFormat<Letter> FORMAT = new MessageFormat<>() {
        @Override
        public String origin(Letter message) {
            return message.place();
        }

        @Override
        public Object orderKey(Letter message) {
            return message.order();
        }

        @Override
        public byte[] content(Letter message) {
            return message.text().getBytes(UTF_8);
        }
    };

    static final Identity<Letter> IDENTITY = message -> Optional.ofNullable(message.id());
}
