package io.counterpoint.idempotency.spring;

import jakarta.persistence.EntityManager;
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
}
