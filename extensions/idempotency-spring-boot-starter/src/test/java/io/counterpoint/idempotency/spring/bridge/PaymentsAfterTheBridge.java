package io.counterpoint.idempotency.spring.bridge;

import io.counterpoint.idempotency.annotation.Idempotent;
import jakarta.persistence.EntityManager;
import org.springframework.transaction.annotation.Transactional;

/** Payments without the bridge: with the settings that they are to have, and without the old table. */
class PaymentsAfterTheBridge {

    private final EntityManager entities;

    PaymentsAfterTheBridge(EntityManager entities) {
        this.entities = entities;
    }

    @Idempotent(operation = "pay", key = "#requestId", scope = "'user:' + #userId", request = "#cents")
    @Transactional
    public String pay(String userId, String requestId, long cents) {
        Payment payment = new Payment(userId, cents);
        entities.persist(payment);
        return payment.receipt;
    }
}
