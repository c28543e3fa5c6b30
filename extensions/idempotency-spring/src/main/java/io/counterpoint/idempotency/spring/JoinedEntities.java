package io.counterpoint.idempotency.spring;

import io.counterpoint.idempotency.jdbc.spi.JoinableConnection;
import io.counterpoint.idempotency.spi.WorkScope.End;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import java.util.function.Consumer;
import org.hibernate.FlushMode;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.Transaction;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.resource.transaction.spi.TransactionStatus;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.support.DataAccessUtils;
import org.springframework.dao.support.PersistenceExceptionTranslator;
import org.springframework.orm.jpa.EntityManagerFactoryInfo;
import org.springframework.orm.jpa.EntityManagerFactoryUtils;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.JpaDialect;

/** A session of Hibernate's on the connection of an operation, in a transaction that Hibernate does not end. */
final class JoinedEntities implements JoinedPart {

    private final EntityManagerFactory factory;
    private final Connection connection;
    private final Session session;
    private final Transaction transaction;
    private final Holder holder;

    JoinedEntities(
            EntityManagerFactory factory,
            SessionFactory sessions,
            Consumer<? super EntityManager> initializer,
            Connection connection) {
        this.factory = factory;
        this.connection = connection;
        this.session = sessions.withOptions().connection(connection).openSession();
        try {
            initializer.accept(session);
            this.transaction = session.beginTransaction();
        } catch (RuntimeException | Error thrown) {
            session.close();
            throw thrown;
        }
        this.holder = new Holder(session);
    }

    /** An entity manager in a transaction. */
    private static final class Holder extends EntityManagerHolder {
        Holder(EntityManager entityManager) {
            super(entityManager);
            setTransactionActive(true);
            setSynchronizedWithTransaction(true);
        }
    }

    @Override
    public Object key() {
        return factory;
    }

    @Override
    public Object holder() {
        return holder;
    }

    /** In flush mode MANUAL the application flushes. */
    @Override
    public void flush() {
        if (session.getHibernateFlushMode() != FlushMode.MANUAL) {
            translated(session::flush);
        }
    }

    /** A flush, and what Hibernate has queued for the commit, such as the check of an optimistic lock. */
    @Override
    public void beforeCommit() {
        translated(session.unwrap(SharedSessionContractImplementor.class)::beforeTransactionCompletion);
    }

    private void translated(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException thrown) {
            throw DataAccessUtils.translateIfNecessary(thrown, translator());
        }
    }

    private PersistenceExceptionTranslator translator() {
        JpaDialect dialect = factory instanceof EntityManagerFactoryInfo info ? info.getJpaDialect() : null;
        return dialect != null ? dialect : JoinedEntities::plainly;
    }

    private static @Nullable DataAccessException plainly(RuntimeException thrown) {
        return EntityManagerFactoryUtils.convertJpaAccessExceptionIfPossible(thrown);
    }

    @Override
    public boolean isRollbackOnly() {
        return holder.isRollbackOnly() || transaction.getStatus() != TransactionStatus.ACTIVE;
    }

    /** Nothing is written any more: Hibernate only does its own book-keeping, such as that of its caches. */
    @Override
    public void ended(End end) {
        session.setHibernateFlushMode(FlushMode.MANUAL);
        ((JoinableConnection) connection).ended(() -> {
            if (end == End.COMMITTED) {
                transaction.commit();
            } else if (transaction.getStatus().canRollback()) {
                transaction.rollback();
            }
        });
    }

    @Override
    public void close() {
        session.close();
    }
}
