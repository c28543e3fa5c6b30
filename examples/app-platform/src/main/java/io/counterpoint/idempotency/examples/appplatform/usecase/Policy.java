package io.counterpoint.idempotency.examples.appplatform.usecase;

import io.counterpoint.idempotency.jdbc.Isolation;
import io.counterpoint.idempotency.servlet.RoutePolicy;

/**
 * The declared promise of an operation to clients that retry: the filter takes its route from it, the transaction its
 * isolation level, and the README its tables.
 *
 * @param operation its name
 * @param path the path of its POST requests
 * @param key what identifies a retry
 * @param by what makes retries safe
 * @param together what commits together
 * @param isolation the isolation level of its transactions
 * @param tier when its effect can be read
 */
public record Policy(
        String operation, String path, Key key, String by, String together, Isolation isolation, String tier) {

    /** Readable immediately, on every node, by everybody. */
    public static final String STRONG = "strong";

    /** What identifies a request as a retry. */
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
