package io.counterpoint.idempotency.spring;

import jakarta.persistence.Cacheable;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import org.hibernate.annotations.Cache;
import org.hibernate.annotations.CacheConcurrencyStrategy;

/** An account that the second-level cache keeps. */
@Entity
@Cacheable
@Cache(usage = CacheConcurrencyStrategy.READ_WRITE)
@Table(name = "account")
class CachedAccount {

    @Id
    private String id;

    private long balance;

    @Version
    private long version;

    CachedAccount() {}

    void add(long amount) {
        balance += amount;
    }

    long balance() {
        return balance;
    }

    long version() {
        return version;
    }
}
