package io.counterpoint.idempotency.examples.appplatform.usecase;

import io.counterpoint.idempotency.jdbc.Isolation;
import io.counterpoint.idempotency.servlet.RoutePolicy;

/**
 * What an operation promises to who repeats it, declared once: the filter gets its route from it, the transaction its
 * level, and the documentation its tables.
 *
 * @param operation its name
 * @param path where it is asked for, with POST
 * @param key what identifies its repetitions
 * @param by what makes it safe to repeat
 * @param together what commits together
 * @param isolation the level of its transactions
 * @param tier when it can be read
 */
public record Policy(
        String operation, String path, Key key, String by, String together, Isolation isolation, String tier) {

    /** Readable at once, at every node, for everybody. */
    public static final String STRONG = "strong";

    /** What identifies a request as a repetition. */
    public enum Key {
        REQUIRED("required: `Idempotency-Key`"),
        OPTIONAL("optional: `X-Request-Id`"),
        TRANSACTION("required: `Transaction-Id`"),
        STATE("none: the state decides");

        private final String words;

        Key(String words) {
            this.words = words;
        }

        public RoutePolicy route() {
            return switch (this) {
                case REQUIRED -> RoutePolicy.required();
                case OPTIONAL -> RoutePolicy.optional().fallbackHeader("X-Request-Id");
                case TRANSACTION -> RoutePolicy.required().fallbackHeader("Transaction-Id");
                case STATE -> RoutePolicy.off();
            };
        }

        @Override
        public String toString() {
            return words;
        }
    }

    /** As databases write it. */
    public String level() {
        return isolation.name().replace('_', ' ');
    }
}
