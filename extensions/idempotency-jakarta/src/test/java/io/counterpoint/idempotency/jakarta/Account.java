package io.counterpoint.idempotency.jakarta;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Version;

/** An entity with an optimistic lock. */
@Entity
@Table(name = "account")
public class Account {

    @Id
    private String id = "";

    @Version
    private long version;

    @SuppressWarnings("UnusedVariable") // Persistence reads it.
    private long balance;

    /** For JPA. */
    protected Account() {}

    Account(String id) {
        this.id = id;
    }

    void add(long amount) {
        balance += amount;
    }

    long version() {
        return version;
    }
}
