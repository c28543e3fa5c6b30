package io.counterpoint.idempotency.spring.boot.shop;

import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.ResultCodec;
import java.sql.Connection;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.springframework.stereotype.Service;

/** Refunds at another system, each of which is booked here through a repository. */
@Service
public class Refunds {

    /** What the other system says, by the value of the key. */
    public final Map<String, Lookup<String>> remote = new ConcurrentHashMap<>();

    /** What the next bookings throw. */
    public final Queue<RuntimeException> failures = new ConcurrentLinkedQueue<>();

    public final ExternalOperation<String> refund;
    private final Purchases purchases;

    Refunds(Idempotency<Connection> idempotency, Purchases purchases) {
        this.purchases = purchases;
        this.refund = idempotency
                .external(
                        "refund",
                        ResultCodec.string(),
                        unresolved -> remote.getOrDefault(unresolved.key().value(), Lookup.notYet()))
                .then(this::book)
                .build();
    }

    private void book(Connection connection, IdempotencyKey key, String refunded) {
        purchases.save(new Purchase(refunded));
        RuntimeException failure = failures.poll();
        if (failure != null) {
            throw failure;
        }
    }
}
