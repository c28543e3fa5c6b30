package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.annotation.ResultCodecs;
import io.counterpoint.idempotency.jackson.JsonCodecs;

/** Results as strict JSON, if idempotency-jackson is present. */
final class JsonResults {

    private JsonResults() {}

    static ResultCodecs orRefusal() {
        try {
            return Known.strict();
        } catch (NoClassDefFoundError absent) {
            return (operation, result) -> {
                throw new IllegalStateException(
                        "there is no bean of type " + ResultCodecs.class.getName() + ": add idempotency-jackson");
            };
        }
    }

    /** A separate class, so that its absence can be detected. */
    private static final class Known {
        static ResultCodecs strict() {
            JsonCodecs codecs = JsonCodecs.strict();
            return (operation, result) -> codecs.of(result);
        }
    }
}
