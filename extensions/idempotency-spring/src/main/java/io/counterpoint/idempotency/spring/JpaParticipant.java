package io.counterpoint.idempotency.spring;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.util.function.Consumer;

/** Entities of a factory of entity managers, which Hibernate provides. */
public final class JpaParticipant extends Participant {

    private final EntityManagerFactory factory;
    private final Consumer<? super EntityManager> initializer;

    private JpaParticipant(EntityManagerFactory factory, Consumer<? super EntityManager> initializer) {
        this.factory = factory;
        this.initializer = initializer;
    }

    /**
     * Lets the entity managers of a factory join.
     *
     * @param factory the bean of the application, of Hibernate 6.6 or 7, over the store's data source
     * @return the participant
     * @throws IllegalArgumentException if the factory is not Hibernate's, or its transactions are JTA's
     */
    public static JpaParticipant of(EntityManagerFactory factory) {
        return new JpaParticipant(factory, entityManager -> {});
    }

    /**
     * This participant, which prepares each entity manager. Spring's own initializers are not known to it.
     *
     * @param newInitializer for example enables a filter of Hibernate's
     * @return the participant
     */
    public JpaParticipant initializedBy(Consumer<? super EntityManager> newInitializer) {
        return new JpaParticipant(factory, newInitializer);
    }

    @Override
    public String toString() {
        return "JpaParticipant[" + factory + ", " + initializer + "]";
    }
}
