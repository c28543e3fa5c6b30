package io.counterpoint.idempotency.spring.boot.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Version;

/** What was bought. */
@Entity
class Purchase {

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private long id;

    @Version
    private long version;

    private String item = "";

    protected Purchase() {}

    Purchase(String item) {
        this.item = item;
    }

    long id() {
        return id;
    }

    String item() {
        return item;
    }

    void rename(String other) {
        item = other;
    }
}
