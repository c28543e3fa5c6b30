package io.counterpoint.idempotency.examples.appplatform;

import static org.jdbi.v3.core.transaction.TransactionIsolationLevel.SERIALIZABLE;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.spi.KeyedMutex;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;

/** A charge takes from the quota what its event says, once for each transaction id, and never more than there is. */
final class ChargePayment {

    /** How long a charge waits for those before it in this process. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

    static final Policy POLICY = new Policy(
            "payment, quota charge",
            "/charges",
            Policy.Key.TRANSACTION,
            "the library's record, whose key is the transaction id and no other header; a unique index besides",
            "Quota and Event",
            SERIALIZABLE,
            Policy.STRONG);

    private final Consumer<Step> at;
    private final Operation<Handle, Long> operation;
    /** A caller that charges a workspace which others charge waits for a mutex, rather than in the database. */
    private final KeyedMutex<Long> writers = new KeyedMutex<>();

    ChargePayment(JdbiIdempotencyStore store, Consumer<Step> at) {
        this.at = at;
        this.operation = Idempotency.on(store.withIsolation(POLICY.isolation()))
                .operation("charge-payment", ResultCodec.text(String::valueOf, Long::valueOf))
                .singleTransaction()
                .waitAtMost(Duration.ofSeconds(10))
                .retries(100)
                .releaseOn(thrown -> thrown instanceof Refusal)
                .retention(Duration.ofDays(30))
                .build();
    }

    /** The outcome has what is left. */
    Outcome<Long> execute(Attempt attempt, long workspace, String transaction, long amount) throws Refusal {
        Outcome<Long> outcome = writers.locked(
                workspace,
                LONGEST_WAIT,
                () -> operation.execute(attempt, handle -> charge(handle, workspace, transaction, amount)));
        at.accept(Step.CHARGED);
        return outcome;
    }

    /** Reads, decides and writes: right because the level is SERIALIZABLE. */
    private long charge(Handle handle, long workspace, String transaction, long amount) throws Refusal {
        boolean charged =
                handle.createQuery("SELECT count(*) FROM charge WHERE workspace_id = ? AND transaction_id = ?")
                                .bind(0, workspace)
                                .bind(1, transaction)
                                .mapTo(Integer.class)
                                .one()
                        > 0;
        if (charged) {
            // Its record is purged; the unique index would refuse it as well.
            throw Refusal.charged();
        }
        long left = handle.createQuery("SELECT quota_left FROM workspace WHERE id = ?")
                .bind(0, workspace)
                .mapTo(Long.class)
                .findOne()
                .orElseThrow(() -> Refusal.missing("workspace"));
        if (left < amount) {
            throw Refusal.quota(left);
        }
        handle.execute("UPDATE workspace SET quota_left = ? WHERE id = ?", left - amount, workspace);
        handle.execute("""
                INSERT INTO charge (id, workspace_id, transaction_id, amount, charged_at)
                VALUES (?, ?, ?, ?, CURRENT_TIMESTAMP)
                """, UUID.randomUUID(), workspace, transaction, amount);
        at.accept(Step.CHARGE_NOT_COMMITTED);
        return left - amount;
    }
}
