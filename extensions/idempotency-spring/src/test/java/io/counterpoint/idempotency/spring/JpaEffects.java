package io.counterpoint.idempotency.spring;

import jakarta.persistence.EntityManager;
import java.util.function.LongSupplier;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** A repository of entities that insists on a transaction of its caller's, and never flushes. */
@Repository
@Transactional(propagation = Propagation.MANDATORY)
class JpaEffects implements Effects {

    private final EntityManager entities;

    JpaEffects(EntityManager entities) {
        this.entities = entities;
    }

    @Override
    public void write(String name) {
        entities.persist(new Effect(name));
    }

    @Override
    public boolean isThere(String name) {
        return entities.createQuery("SELECT count(e) FROM Effect e WHERE e.name = :name", Long.class)
                        .setParameter("name", name)
                        .getSingleResult()
                > 0;
    }

    @Override
    public void open(String account) {
        entities.persist(new Account(account));
    }

    @Override
    public LongSupplier change(String account) {
        Account found = entities.find(Account.class, account);
        found.add(1);
        return found::version;
    }
}
