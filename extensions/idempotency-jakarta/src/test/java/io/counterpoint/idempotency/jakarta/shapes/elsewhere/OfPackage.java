package io.counterpoint.idempotency.jakarta.shapes.elsewhere;

import io.counterpoint.idempotency.annotation.Idempotent;

/** Nothing of another package can override its method. */
public class OfPackage {
    @Idempotent(operation = "op", key = "#key", scope = "'s'")
    String call(String key) {
        return key;
    }

    /** Calls it. */
    public String callOfPackage(String key) {
        return call(key);
    }
}
