package io.counterpoint.idempotency.spring;

import jakarta.persistence.EntityManager;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** A service as applications have them, with methods in every kind of transaction. */
@Transactional
class Accounts {

    private final EntityManager entities;
    private final ApplicationEventPublisher events;

    Accounts(EntityManager entities, ApplicationEventPublisher events) {
        this.entities = entities;
        this.events = events;
    }

    /** An event for listeners after the commit. */
    record Deposited(String account) {}

    Account open(String id) {
        Account account = new Account(id);
        entities.persist(account);
        return account;
    }

    Account deposit(String id, long amount) {
        Account account = entities.find(Account.class, id);
        account.add(amount);
        events.publishEvent(new Deposited(id));
        return account;
    }

    void depositAndThrow(String id) {
        deposit(id, 1);
        throw new IllegalArgumentException("no funds");
    }

    @Transactional(propagation = Propagation.REQUIRES_NEW)
    void depositInANewTransaction(String id) {
        deposit(id, 1);
    }

    @Transactional(propagation = Propagation.NOT_SUPPORTED)
    void readWithoutATransaction(String id) {
        entities.find(Account.class, id);
    }

    @Transactional(propagation = Propagation.NESTED)
    void depositNested(String id) {
        deposit(id, 1);
    }
}
