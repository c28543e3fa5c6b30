package io.counterpoint.idempotency.spring.boot.shop;

import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.annotation.Idempotent;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The use cases. */
@Service
public class Orders {

    /** A request. */
    public record Wanted(String id, String item, Optional<String> note) {}

    /** A result. */
    public record Bought(long id, String item) {}

    private final Purchases purchases;

    private final AtomicInteger runs = new AtomicInteger();

    Orders(Purchases purchases) {
        this.purchases = purchases;
    }

    @Idempotent(operation = "buy", key = "#wanted.id")
    @Transactional
    public Bought buy(Wanted wanted) {
        runs.incrementAndGet();
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException("no transaction");
        }
        Purchase bought = purchases.save(new Purchase(wanted.item()));
        return new Bought(bought.id(), bought.item());
    }

    @Idempotent(operation = "buy-over-http", key = "#attempt")
    @Transactional
    public Bought buyOverHttp(String item) {
        runs.incrementAndGet();
        Purchase bought = purchases.save(new Purchase(item));
        return new Bought(bought.id(), bought.item());
    }

    @Idempotent(operation = "buy-part", key = "#attempt.derive('part-' + #part)")
    @Transactional
    public Bought buyPart(Integer part, String item) {
        Purchase bought = purchases.save(new Purchase(item));
        return new Bought(bought.id(), bought.item());
    }

    /** Changes an entity that its caller has loaded. */
    @Idempotent(operation = "rename", key = "#attempt")
    @Transactional
    public Bought rename(Purchase purchase, String item) {
        runs.incrementAndGet();
        purchase.rename(item);
        return new Bought(purchase.id(), purchase.item());
    }

    @Idempotent(operation = "refuse", key = "#key", scope = "'test'", request = "#item")
    @Transactional
    public void refuse(String key, String item, RuntimeException thrown) {
        runs.incrementAndGet();
        purchases.save(new Purchase(item));
        throw thrown;
    }

    @Idempotent(
            operation = "release",
            key = "#key",
            scope = "'test'",
            request = "#item",
            releaseOn = IllegalArgumentException.class)
    @Transactional
    public long release(String key, String item, boolean fails) {
        runs.incrementAndGet();
        purchases.save(new Purchase(item));
        if (fails) {
            throw new IllegalArgumentException("not today");
        }
        return 7;
    }

    @Idempotent(
            operation = "nothing",
            key = "#key",
            scope = "'test'",
            protocol = Operation.Protocol.SINGLE_TRANSACTION,
            retention = "2h")
    public void nothing(String key) {
        runs.incrementAndGet();
    }

    @Idempotent(operation = "maybe", key = "#key", scope = "'test'")
    public Optional<Bought> maybe(String key, boolean there) {
        runs.incrementAndGet();
        return there ? Optional.of(new Bought(1, "tea")) : Optional.empty();
    }

    @Idempotent(operation = "many", key = "#key", scope = "'test'")
    public Map<String, List<Bought>> many(String key) {
        runs.incrementAndGet();
        return Map.of("all", List.of(new Bought(1, "tea"), new Bought(2, "milk")));
    }

    @PreAuthorize("hasRole('BUYER')")
    @Idempotent(operation = "secured", key = "#key", scope = "'test'")
    public String secured(String key) {
        runs.incrementAndGet();
        return "seen";
    }

    /** An order at a price that its buyer names. */
    public record Priced(
            String id, @Nullable BigDecimal price, @Nullable String item) {}

    @Idempotent(operation = "priced", key = "#priced.id")
    public void order(Priced priced) {
        runs.incrementAndGet();
    }

    /** How often any method ran. */
    public AtomicInteger runs() {
        return runs;
    }

    /** Reads only, so that it writes nothing of the request's session. */
    public String itemOf(long id) {
        return purchases.findById(id).orElseThrow().item();
    }

    public long count(String item) {
        return purchases.countByItem(item);
    }
}
