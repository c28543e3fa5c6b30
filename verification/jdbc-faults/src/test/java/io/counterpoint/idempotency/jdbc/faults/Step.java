package io.counterpoint.idempotency.jdbc.faults;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** Where a fault meets a call: the statement that a proxy waits for. */
enum Step {
    CLAIM("INSERT INTO idempotency_record"),
    LOCK("FOR UPDATE"),
    DOMAIN("INSERT INTO effect"),
    MARK("state = 'S'"),
    COMMIT("COMMIT"),
    FAIL("state = 'F'"),
    /** The failure of a single transaction, which is inserted, as the claim before it was. */
    FAIL_AFTERWARDS("INSERT INTO idempotency_record"),
    HEAL("state = 'S'");

    private final String part;

    Step(String part) {
        this.part = part;
    }

    /** Fits once, from now on. */
    Predicate<String> sql() {
        AtomicInteger earlier = new AtomicInteger(this == FAIL_AFTERWARDS ? 1 : 0);
        return sql -> sql.contains(part) && earlier.getAndDecrement() <= 0;
    }

    static Step failOf(ProtocolVariant way) {
        return way.single() ? FAIL_AFTERWARDS : FAIL;
    }
}
