package io.counterpoint.idempotency.spring.bridge;

import jakarta.persistence.EntityManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Payments with a key table of their own, as they were before the library. The key is inserted with the effect. */
class OldPayments {

    private final EntityManager entities;
    private final TransactionTemplate transactions;

    OldPayments(EntityManager entities, TransactionTemplate transactions) {
        this.entities = entities;
        this.transactions = transactions;
    }

    String pay(String userId, String requestId, long cents) {
        ProcessedRequest.Key key = new ProcessedRequest.Key(userId, requestId);
        try {
            return transactions.execute(status -> {
                Payment payment = new Payment(userId, cents);
                entities.persist(new ProcessedRequest(key, payment.receipt));
                entities.flush();
                entities.persist(payment);
                return payment.receipt;
            });
        } catch (RuntimeException thrown) {
            ProcessedRequest found = transactions.execute(status -> entities.find(ProcessedRequest.class, key));
            if (found == null) {
                throw thrown;
            }
            return found.response;
        }
    }
}
