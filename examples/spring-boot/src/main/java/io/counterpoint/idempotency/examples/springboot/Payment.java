package io.counterpoint.idempotency.examples.springboot;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** A booked charge. Its primary key is the provider's charge identifier, so it cannot be booked twice. */
@Entity
class Payment {

    @Id
    private String charge = "";

    private long cents;

    /** Required by JPA. */
    protected Payment() {}

    Payment(String charge, long cents) {
        this.charge = charge;
        this.cents = cents;
    }
}
