package io.counterpoint.idempotency.spring.bridge;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import java.util.UUID;

/** What was paid. */
@Entity(name = "payment")
class Payment {

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    Long id;

    String userId;
    long cents;
    String receipt;

    protected Payment() {}

    Payment(String userId, long cents) {
        this.userId = userId;
        this.cents = cents;
        this.receipt = "receipt-" + UUID.randomUUID();
    }
}
