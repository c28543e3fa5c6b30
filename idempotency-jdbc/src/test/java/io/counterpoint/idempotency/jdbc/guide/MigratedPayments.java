package io.counterpoint.idempotency.jdbc.guide;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import java.time.Duration;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** Payments that a key table of their own used to protect. */
public final class MigratedPayments {

    private final Operation<Handle, String> pay;

    public MigratedPayments(Idempotency<Handle> idempotency) {
        pay = idempotency
                .operation("pay", ResultCodec.string())
                // Nothing fails for good while old nodes run: one of them may still execute the request.
                .releaseOn(thrown -> true)
                // As long as clients may retry: once the bridge is gone, nothing else remembers the key.
                .retention(Duration.ofDays(30))
                .whenAbandoned(Operation.Abandoned.TAKE_OVER, Duration.ofMinutes(1))
                .build();
    }

    public Outcome<String> pay(String userId, String requestId, long cents) {
        Attempt attempt = Attempt.inScope("user:" + userId).key(requestId).request(cents);
        return pay.execute(attempt, handle -> {
            // Waits for an old node that is working on this key. Its row then exists, and nothing is inserted.
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
                .orElseThrow(() -> new IllegalStateException("The old node left no response: check the payment."));
        long paid = handle.createQuery("SELECT cents FROM payment WHERE receipt = ?")
                .bind(0, receipt)
                .mapTo(Long.class)
                .one();
        if (paid != cents) {
            // The old table does not store the request, but its effect shows it.
            throw new IllegalArgumentException("This key was used for a payment of " + paid + ".");
        }
        return receipt;
    }

    static String book(Handle handle, String userId, long cents) {
        if (cents <= 0) {
            throw new IllegalArgumentException("The amount of a payment must be positive.");
        }
        String receipt = "receipt-" + UUID.randomUUID();
        handle.execute("INSERT INTO payment (user_id, cents, receipt) VALUES (?, ?, ?)", userId, cents, receipt);
        return receipt;
    }
}
