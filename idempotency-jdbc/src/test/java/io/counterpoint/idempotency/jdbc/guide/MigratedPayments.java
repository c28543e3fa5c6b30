package io.counterpoint.idempotency.jdbc.guide;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import java.time.Duration;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** Payments that were protected by a key table of their own before. The page shows this class to the letter. */
public final class MigratedPayments {

    private final Operation<Handle, String> pay;

    // tag::bridge
    public MigratedPayments(Idempotency<Handle> idempotency) {
        pay = idempotency
                .operation("pay", ResultCodec.string())
                // Nothing fails for good while old nodes run: one may carry out what has failed here.
                .releaseOn(thrown -> true)
                // As long as clients may retry. Once the bridge is gone, nothing else remembers the key.
                .retention(Duration.ofDays(30))
                .whenAbandoned(Operation.Abandoned.TAKE_OVER, Duration.ofMinutes(1))
                .build();
    }

    public Outcome<String> pay(String userId, String requestId, long cents) {
        Attempt attempt = Attempt.inScope("user:" + userId).key(requestId).request(cents);
        return pay.execute(attempt, handle -> {
            // Waits for an old node that is at work on this key. Then its row is there, and nothing is inserted.
            int ours = handle.execute(
                    "INSERT INTO processed_request (user_id, request_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
                    userId,
                    requestId);
            if (ours == 0) {
                return answerOfAnOldNode(handle, userId, requestId, cents);
            }
            String receipt = book(handle, userId, cents);
            // Old nodes answer retries with it.
            handle.execute(
                    "UPDATE processed_request SET response = ? WHERE user_id = ? AND request_id = ?",
                    receipt,
                    userId,
                    requestId);
            return receipt;
        });
    }

    private static String answerOfAnOldNode(Handle handle, String userId, String requestId, long cents) {
        String receipt = handle.createQuery(
                        "SELECT response FROM processed_request WHERE user_id = ? AND request_id = ?")
                .bind(0, userId)
                .bind(1, requestId)
                .mapTo(String.class)
                .findOne()
                .orElseThrow(
                        () -> new IllegalStateException("The old node has left no response: look at the payment."));
        long paid = handle.createQuery("SELECT cents FROM payment WHERE receipt = ?")
                .bind(0, receipt)
                .mapTo(Long.class)
                .one();
        if (paid != cents) {
            // The old table does not have the request, and its effect does.
            throw new IllegalArgumentException("This key was used for a payment of " + paid + ".");
        }
        return receipt;
    }
    // end::bridge

    static String book(Handle handle, String userId, long cents) {
        if (cents <= 0) {
            throw new IllegalArgumentException("A payment is more than nothing.");
        }
        String receipt = "receipt-" + UUID.randomUUID();
        handle.execute("INSERT INTO payment (user_id, cents, receipt) VALUES (?, ?, ?)", userId, cents, receipt);
        return receipt;
    }
}
