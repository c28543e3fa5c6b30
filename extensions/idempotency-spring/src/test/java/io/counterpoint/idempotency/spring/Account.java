package io.counterpoint.idempotency.spring;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.PreUpdate;
import jakarta.persistence.Table;
import jakarta.persistence.Version;

/** An entity with a version, which the flush computes. */
@Entity
@Table(name = "account")
class Account {

    @Id
    private String id;

    private long balance;

    @Version
    private long version;

    Account() {}

    Account(String id) {
        this.id = id;
    }

    long add(long amount) {
        balance += amount;
        return balance;
    }

    /** As Bean Validation checks entities. */
    @PreUpdate
    void requireCovered() {
        if (balance < 0) {
            throw new IllegalArgumentException("Overdrawn.");
        }
    }

    long balance() {
        return balance;
    }

    long version() {
        return version;
    }
}
