package io.counterpoint.idempotency.examples.appplatform.usecase;

import static io.counterpoint.idempotency.jdbc.Isolation.SERIALIZABLE;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.RejectedException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.consistency.KeyedMutex;
import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.io.IOException;
import java.net.ConnectException;
import java.time.Clock;
import java.time.Duration;
import java.time.YearMonth;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;

/**
 * A charge takes the amount of its event from this month's quota, once per transaction id and never more than is left.
 * Then the payment provider is paid, also once per transaction id. If the provider declines, the amount is returned to
 * the quota.
 *
 * <p>If the provider does not respond, the charge stays reserved until its caller retries. Charges that nobody retries
 * are resumed: the provider charges once per key, so paying again is safe.
 */
public final class ChargePayment {

    /** How long a charge waits for earlier ones of its workspace in this process. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

    private static final Duration REMEMBERED = Duration.ofDays(30);

    public static final Policy POLICY = new Policy(
            "payment, quota charge",
            "/charges",
            Policy.Key.TRANSACTION,
            "the library's records for quota and provider, whose key is the transaction id and no other header; a unique"
                    + " index besides",
            "Quota and Event; then the provider",
            SERIALIZABLE,
            Policy.STRONG);

    /** A payment provider that charges once per key. */
    public interface Provider {

        /** Pays. If there is no response, the payment may have been made, or may be made later. */
        void pay(String key, long amount) throws PaymentRefusedException, IOException;

        /** Returns the amount charged under a key; empty if nothing has been charged yet. */
        Optional<Long> find(String key) throws IOException;
    }

    /** A charge whose payment is not yet settled. */
    private record Reserved(long workspace, String transaction, long amount) {}

    private final Transactions transactions;
    private final Provider payments;
    private final Clock clock;
    private final Consumer<Step> at;
    private final Operation<Handle, Long> quota;
    private final ExternalOperation<Long> payment;
    /** Concurrent charges of a workspace wait for this mutex rather than in the database. */
    private final KeyedMutex<Long> writers = new KeyedMutex<>();

    public ChargePayment(JdbiIdempotencyStore store, Provider payments, Clock clock, Consumer<Step> at) {
        this.transactions = Transactions.on(store).withRetries(100);
        this.payments = payments;
        this.clock = clock;
        this.at = at;
        ResultCodec<Long> number = ResultCodec.text(String::valueOf, Long::valueOf);
        this.quota = Idempotency.on(
                        store.toBuilder().isolation(POLICY.isolation()).build())
                .operation("charge-payment", number)
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .waitAtMost(Duration.ofSeconds(10))
                .maxRetries(100)
                .releaseOn(thrown -> thrown instanceof Refusal)
                .retention(REMEMBERED)
                .build();
        this.payment = Idempotency.on(store)
                .external(
                        "pay",
                        number,
                        attempt -> Lookup.of(payments.find(attempt.key().hash())))
                .noEffectWhen(thrown -> thrown instanceof PaymentRefusedException)
                .releaseWhenNoEffect(thrown -> thrown instanceof ConnectException)
                .retention(REMEMBERED)
                .build();
    }

    /** Charges. The outcome contains what is left of the month's quota. */
    public Outcome<Long> execute(Attempt attempt, long workspace, String transaction, long amount) throws Refusal {
        Outcome<Long> outcome = writers.locked(
                workspace,
                LONGEST_WAIT,
                () -> quota.execute(attempt, handle -> reserve(handle, workspace, transaction, amount)));
        if (outcome instanceof Outcome.Completed) {
            pay(new Reserved(workspace, transaction, amount));
        }
        at.accept(Step.CHARGED);
        return outcome;
    }

    /** Reads, decides and writes, which is correct because the transaction is SERIALIZABLE. */
    private long reserve(Handle handle, long workspace, String transaction, long amount) throws Refusal {
        boolean charged =
                handle.createQuery("SELECT count(*) FROM charge WHERE workspace_id = ? AND transaction_id = ?")
                                .bind(0, workspace)
                                .bind(1, transaction)
                                .mapTo(Integer.class)
                                .one()
                        > 0;
        if (charged) {
            // The record has been purged; the unique index would reject the charge, too.
            throw Refusal.charged();
        }
        int month = month();
        long left = handle.createQuery(
                        "SELECT CASE WHEN quota_month = ? THEN quota_left ELSE quota_granted END FROM workspace WHERE id = ?")
                .bind(0, month)
                .bind(1, workspace)
                .mapTo(Long.class)
                .findOne()
                .orElseThrow(() -> Refusal.missing("workspace"));
        if (left < amount) {
            throw Refusal.quota(left);
        }
        handle.execute(
                "UPDATE workspace SET quota_left = ?, quota_month = ? WHERE id = ?", left - amount, month, workspace);
        handle.execute("""
                INSERT INTO charge (id, workspace_id, transaction_id, amount, charged_at, quota_month, status)
                VALUES (?, ?, ?, ?, CURRENT_TIMESTAMP, ?, 'reserved')
                """, UUID.randomUUID(), workspace, transaction, amount, month);
        at.accept(Step.CHARGE_NOT_COMMITTED);
        return left - amount;
    }

    /** The month whose quota is charged, such as 202611. */
    private int month() {
        YearMonth now = YearMonth.now(clock);
        return now.getYear() * 100 + now.getMonthValue();
    }

    /** The transaction id is also the key of this operation, and its digest is the provider's key. */
    private static Attempt attempt(Reserved charge) {
        return Attempt.inScope("workspace:" + charge.workspace())
                .key(charge.transaction())
                .request(Long.toString(charge.amount()));
    }

    private void pay(Reserved charge) throws Refusal {
        try {
            long unused = payment.execute(attempt(charge), key -> {
                        at.accept(Step.PAYMENT_CLAIMED);
                        payments.pay(key.hash(), charge.amount());
                        at.accept(Step.PAID);
                        return charge.amount();
                    })
                    .orElseThrow();
        } catch (PaymentRefusedException | RejectedException refused) {
            giveBack(charge);
            throw Refusal.payment();
        } catch (ConnectException notReached) {
            throw Refusal.providerAway();
        } catch (IOException declaredUnknown) {
            // The library throws its own exception if the outcome is unknown.
            throw new IllegalStateException(declaredUnknown);
        }
        transactions.useTransaction(POLICY.isolation(), handle -> {
            boolean unused = mark(handle, charge, "paid");
        });
    }

    private void giveBack(Reserved charge) {
        transactions.useTransaction(POLICY.isolation(), handle -> {
            if (mark(handle, charge, "refused")) {
                handle.execute("""
                        UPDATE workspace SET quota_left = quota_left + ? WHERE id = ? AND quota_month =
                            (SELECT quota_month FROM charge WHERE workspace_id = ? AND transaction_id = ?)
                        """, charge.amount(), charge.workspace(), charge.workspace(), charge.transaction());
            }
        });
    }

    private static boolean mark(Handle handle, Reserved charge, String status) {
        return handle.execute(
                        "UPDATE charge SET status = ? WHERE workspace_id = ? AND transaction_id = ? AND status = 'reserved'",
                        status,
                        charge.workspace(),
                        charge.transaction())
                == 1;
    }

    /** Settles payments that have been reserved for at least this long. Returns how many were settled. */
    public int resume(Duration olderThan, BiConsumer<String, Exception> onFailure) {
        List<Reserved> abandoned = transactions.inTransaction(
                POLICY.isolation(),
                handle -> handle.createQuery("""
                        SELECT workspace_id, transaction_id, amount FROM charge
                        WHERE status = 'reserved' AND charged_at <= CURRENT_TIMESTAMP - INTERVAL '%d' SECOND
                        ORDER BY charged_at FETCH FIRST 100 ROWS ONLY
                        """.formatted(olderThan.toSeconds()))
                        .map((row, context) -> new Reserved(row.getLong(1), row.getString(2), row.getLong(3)))
                        .list());
        int ended = 0;
        for (Reserved charge : abandoned) {
            try {
                resume(charge);
                ended++;
            } catch (Refusal | IOException | RuntimeException failed) {
                onFailure.accept("workspace " + charge.workspace(), failed);
            }
        }
        return ended;
    }

    private void resume(Reserved charge) throws Refusal, IOException {
        var key = payment.keyOf(attempt(charge));
        try {
            payments.pay(key.hash(), charge.amount());
        } catch (PaymentRefusedException forGood) {
            // The provider declined, so it charges nothing under this key, now or later.
            var unused = payment.resolveFailed(key, new Failure("payment-refused", "refused by the provider"));
            giveBack(charge);
            return;
        }
        pay(charge);
    }
}
