package io.counterpoint.idempotency.spring.boot.quickstart;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;

/** What was ordered. */
@Entity(name = "placed_order")
class PlacedOrder {

    @Id
    @GeneratedValue
    long number;

    String item = "";
}
