package io.counterpoint.idempotency.spring;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.PersistenceException;
import java.sql.Connection;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.hibernate.StaleStateException;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.resource.transaction.spi.TransactionCoordinatorBuilder;
import org.jspecify.annotations.Nullable;
import org.springframework.orm.jpa.EntityManagerFactoryInfo;
import org.springframework.util.ClassUtils;

/**
 * Entities of a factory of entity managers, which Hibernate provides. Immutable and thread-safe.
 *
 * <p>While the work runs, the entity managers that Spring hands out share one session on the operation's connection. It
 * is flushed before the result is encoded, so the result has the versions and identifiers that the database gave. It is
 * flushed again before the record is marked. What a flush throws is the work's own exception, translated by Spring.
 *
 * <p>An entity manager that is bound to the thread already, such as that of a web request, is put aside and comes back.
 */
public final class JpaParticipant extends Participant {

    private final EntityManagerFactory factory;
    private final SessionFactoryImplementor sessions;
    private final Consumer<? super EntityManager> initializer;

    private JpaParticipant(
            EntityManagerFactory factory,
            SessionFactoryImplementor sessions,
            Consumer<? super EntityManager> initializer) {
        this.factory = factory;
        this.sessions = sessions;
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
        SessionFactoryImplementor sessions = sessionsOf(
                factory instanceof EntityManagerFactoryInfo info ? info.getNativeEntityManagerFactory() : factory);
        TransactionCoordinatorBuilder transactions =
                sessions.getServiceRegistry().requireService(TransactionCoordinatorBuilder.class);
        if (transactions.isJta()) {
            throw new IllegalArgumentException("Expected entities in transactions of one JDBC connection, found that "
                    + "their factory has JTA. An operation's effect and record commit on one connection. Configure the"
                    + " persistence unit with RESOURCE_LOCAL and a data source that is not JTA's.");
        }
        return new JpaParticipant(factory, sessions, entityManager -> {});
    }

    private static SessionFactoryImplementor sessionsOf(EntityManagerFactory factory) {
        if (ClassUtils.isPresent(
                "org.hibernate.SessionFactory", factory.getClass().getClassLoader())) {
            try {
                return factory.unwrap(SessionFactoryImplementor.class);
            } catch (PersistenceException notHibernate) {
                throw refused(factory, notHibernate);
            }
        }
        throw refused(factory, null);
    }

    private static IllegalArgumentException refused(EntityManagerFactory factory, @Nullable Throwable cause) {
        return new IllegalArgumentException(
                "Expected a factory of entity managers from Hibernate, found "
                        + factory.getClass().getName() + ". Other providers, such as EclipseLink, cannot be given the"
                        + " operation's connection. Do the work with JdbcTemplate, or with Hibernate.",
                cause);
    }

    /**
     * This participant, which prepares each entity manager. Spring's own initializers are not known to it.
     *
     * @param newInitializer for example enables a filter of Hibernate's
     * @return the participant
     */
    public JpaParticipant initializedBy(Consumer<? super EntityManager> newInitializer) {
        return new JpaParticipant(factory, sessions, newInitializer);
    }

    @Override
    void requireFits(DataSource dataSource) {
        DataSource other = factory instanceof EntityManagerFactoryInfo info ? info.getDataSource() : null;
        if (other != null && SpringIdempotencyStore.unwrapped(other) != dataSource) {
            throw new IllegalArgumentException("Expected entities in the store's data source " + dataSource + ", found "
                    + other + ". Effect and record commit on one connection: make both from one data source bean.");
        }
    }

    @Override
    JoinedPart join(Connection connection) {
        return new JoinedEntities(factory, sessions, initializer, connection);
    }

    @Override
    boolean isConflict(Throwable thrown) {
        return thrown instanceof OptimisticLockException || thrown instanceof StaleStateException;
    }

    @Override
    boolean isFromDatabase(Throwable thrown) {
        return thrown instanceof PersistenceException;
    }

    @Override
    public String toString() {
        return "JpaParticipant[" + sessions.getName() + "]";
    }
}
