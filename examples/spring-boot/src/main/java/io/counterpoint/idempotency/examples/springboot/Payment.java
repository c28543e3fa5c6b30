package io.counterpoint.idempotency.examples.springboot;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** A charge of a card, as it is booked: once, since its identifier at the provider is the primary key. */
@Entity
class Payment {

    @Id
    private String charge = "";

    private long cents;

    /** For JPA. */
    protected Payment() {}

    Payment(String charge, long cents) {
        this.charge = charge;
        this.cents = cents;
    }
}
