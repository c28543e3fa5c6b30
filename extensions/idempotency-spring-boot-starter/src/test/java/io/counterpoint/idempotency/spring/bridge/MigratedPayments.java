package io.counterpoint.idempotency.spring.bridge;

import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.annotation.Idempotent;
import jakarta.persistence.EntityManager;
import org.springframework.transaction.annotation.Transactional;

/** Payments that were protected by a key table of their own before. The page shows this method to the letter. */
class MigratedPayments {

    private final EntityManager entities;

    MigratedPayments(EntityManager entities) {
        this.entities = entities;
    }

    // tag::bridge
    @Idempotent(
            operation = "pay",
            key = "#requestId",
            scope = "'user:' + #userId",
            request = "#cents",
            // Nothing fails for good while old nodes run: one of them may still execute the request.
            releaseOn = Throwable.class,
            // As long as clients may retry: once the bridge is gone, nothing else remembers the key.
            retention = "30d",
            whenAbandoned = Operation.Abandoned.TAKE_OVER)
    @Transactional
    public String pay(String userId, String requestId, long cents) {
        // Waits for an old node that is working on this key. Its row then exists, and nothing is inserted.
        int ours = entities.createNativeQuery(
                        "INSERT INTO processed_request (user_id, request_id) VALUES (?, ?) ON CONFLICT DO NOTHING")
                .setParameter(1, userId)
                .setParameter(2, requestId)
                .executeUpdate();
        ProcessedRequest request = entities.find(ProcessedRequest.class, new ProcessedRequest.Key(userId, requestId));
        if (ours == 0) {
            return answerOfAnOldNode(request, cents);
        }
        Payment payment = new Payment(userId, cents);
        entities.persist(payment);
        // Old nodes answer retries with it.
        request.response = payment.receipt;
        return payment.receipt;
    }

    private String answerOfAnOldNode(ProcessedRequest request, long cents) {
        if (request.response == null) {
            throw new IllegalStateException("The old node left no response: check the payment.");
        }
        long paid = entities.createQuery("SELECT p.cents FROM payment p WHERE p.receipt = :receipt", Long.class)
                .setParameter("receipt", request.response)
                .getSingleResult();
        if (paid != cents) {
            throw new IllegalArgumentException("This key was used for a payment of " + paid + ".");
        }
        return request.response;
    }
    // end::bridge
}
