package io.counterpoint.idempotency.jdbc.guide;

import java.sql.SQLException;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;

/** Payments with a key table of their own, as they were before the library. The key is inserted with the effect. */
final class OldPayments {

    private final Jdbi jdbi;

    OldPayments(Jdbi jdbi) {
        this.jdbi = jdbi;
    }

    String pay(String userId, String requestId, long cents) throws SQLException {
        String receipt = "receipt-" + UUID.randomUUID();
        try {
            jdbi.useTransaction(handle -> {
                handle.execute(
                        "INSERT INTO processed_request (user_id, request_id, response) VALUES (?, ?, ?)",
                        userId,
                        requestId,
                        receipt);
                handle.execute(
                        "INSERT INTO payment (user_id, cents, receipt) VALUES (?, ?, ?)", userId, cents, receipt);
            });
            return receipt;
        } catch (UnableToExecuteStatementException thrown) {
            if (thrown.getCause() instanceof SQLException refused && "23505".equals(refused.getSQLState())) {
                return jdbi.withHandle(handle -> handle.createQuery(
                                "SELECT response FROM processed_request WHERE user_id = ? AND request_id = ?")
                        .bind(0, userId)
                        .bind(1, requestId)
                        .mapTo(String.class)
                        .one());
            }
            throw thrown;
        }
    }
}
