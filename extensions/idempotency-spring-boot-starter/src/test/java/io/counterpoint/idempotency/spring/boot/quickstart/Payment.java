package io.counterpoint.idempotency.spring.boot.quickstart;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;

/** What was paid. */
@Entity(name = "payment")
class Payment {

    @Id
    @GeneratedValue
    long number;

    String payee = "";
}
