package io.counterpoint.idempotency.spring;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.MisuseException;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.OptimisticLockException;
import jakarta.persistence.PersistenceException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.hibernate.FlushMode;
import org.hibernate.StaleStateException;
import org.hibernate.context.spi.CurrentTenantIdentifierResolver;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SessionImplementor;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.support.DataAccessUtils;
import org.springframework.jdbc.datasource.ConnectionHandle;
import org.springframework.orm.jpa.EntityManagerFactoryInfo;
import org.springframework.orm.jpa.EntityManagerFactoryUtils;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.vendor.HibernateJpaDialect;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/** The entity managers that Spring has bound to the thread. Hibernate's types are referenced only if it is present. */
final class JpaEntities extends Entities {

    /** The manager, if its entities are Hibernate's: outside a transaction, other providers have no connection. */
    private final @Nullable JpaTransactionManager ofHibernate;

    JpaEntities(PlatformTransactionManager manager) {
        this.ofHibernate =
                manager instanceof JpaTransactionManager jpa && jpa.getJpaDialect() instanceof HibernateJpaDialect
                        ? jpa
                        : null;
    }

    /**
     * In a session that is open around the call, lends that session's connection, which may be the last of the pool and
     * belongs to the caller's tenant. If the factory has tenants, the connection of a new session does so, too.
     */
    @Override
    Loan lend(DataSource dataSource) throws SQLException {
        JpaTransactionManager jpa = ofHibernate;
        EntityManagerFactory factory = jpa == null ? null : jpa.getEntityManagerFactory();
        if (jpa == null || factory == null) {
            return super.lend(dataSource);
        }
        if (TransactionSynchronizationManager.getResource(factory) instanceof EntityManagerHolder outer) {
            Loan ofOuter = new OfSession(jpa, outer.getEntityManager(), false);
            if (!ofOuter.connection().isClosed()) {
                return ofOuter;
            }
            // The connection was lost, and the session keeps it.
        }
        return hasTenants(factory)
                ? new OfSession(
                        jpa,
                        factory instanceof EntityManagerFactoryInfo info
                                ? info.createNativeEntityManager(null)
                                : factory.createEntityManager(),
                        true)
                : super.lend(dataSource);
    }

    private static boolean hasTenants(EntityManagerFactory factory) {
        return factory.unwrap(SessionFactoryImplementor.class)
                .getSessionFactoryOptions()
                .isMultiTenancyEnabled();
    }

    @Override
    void requireTenantIn(IdempotencyKey key) {
        EntityManagerFactory factory = ofHibernate == null ? null : ofHibernate.getEntityManagerFactory();
        if (factory == null || !hasTenants(factory)) {
            return;
        }
        CurrentTenantIdentifierResolver<Object> resolver =
                factory.unwrap(SessionFactoryImplementor.class).getCurrentTenantIdentifierResolver();
        String tenant = resolver == null ? "" : String.valueOf(resolver.resolveCurrentTenantIdentifier());
        if (tenant.isEmpty() || !key.scope().contains(tenant)) {
            throw new MisuseException(
                    key + ": the scope does not contain the tenant of Hibernate's sessions, so callers of two tenants"
                            + " could share a key and one could get the other's response. Include the tenant's"
                            + " identifier in the scope, such as tenant + \":user:1\".");
        }
    }

    /** The connection of a session. */
    private static final class OfSession implements Loan {
        private final EntityManager session;
        private final boolean closes;
        private final ConnectionHandle handle;
        private final Connection connection;

        OfSession(JpaTransactionManager jpa, EntityManager session, boolean closes) throws SQLException {
            this.session = session;
            this.closes = closes;
            ConnectionHandle found = jpa.getJpaDialect().getJdbcConnection(session, false);
            if (found == null) {
                throw new SQLException("The session has no connection", "08001");
            }
            this.handle = found;
            this.connection = found.getConnection();
        }

        @Override
        public Connection connection() {
            return connection;
        }

        @Override
        public void giveBack() {
            handle.releaseConnection(connection);
            if (closes) {
                session.close();
            }
        }
    }

    @Override
    boolean areBound() {
        return TransactionSynchronizationManager.getResourceMap().values().stream()
                .anyMatch(EntityManagerHolder.class::isInstance);
    }

    /** In flush mode MANUAL, the application flushes. */
    @Override
    void flush() {
        eachInTransaction(session -> {
            if (!OfHibernate.provides(session) || !OfHibernate.isFlushedByHand(session)) {
                session.flush();
            }
        });
    }

    @Override
    void beforeCommit() {
        eachInTransaction(session -> {
            if (OfHibernate.provides(session)) {
                OfHibernate.beforeCommit(session);
            } else {
                session.flush();
            }
        });
    }

    /** Exceptions are translated as in a Spring commit. */
    private void eachInTransaction(Consumer<? super EntityManager> call) {
        for (Object bound : TransactionSynchronizationManager.getResourceMap().values()) {
            if (bound instanceof EntityManagerHolder holder && isInTransaction(holder.getEntityManager())) {
                try {
                    call.accept(holder.getEntityManager());
                } catch (RuntimeException thrown) {
                    throw DataAccessUtils.translateIfNecessary(
                            thrown,
                            ofHibernate == null
                                    ? EntityManagerFactoryUtils::convertJpaAccessExceptionIfPossible
                                    : ofHibernate.getJpaDialect());
                }
            }
        }
    }

    private static boolean isInTransaction(EntityManager session) {
        try {
            return session.isOpen() && session.getTransaction().isActive();
        } catch (IllegalStateException ofJta) {
            return false;
        }
    }

    @Override
    void clear() {
        for (Object bound : TransactionSynchronizationManager.getResourceMap().values()) {
            if (bound instanceof EntityManagerHolder holder
                    && holder.getEntityManager().isOpen()) {
                holder.getEntityManager().clear();
            }
        }
    }

    @Override
    boolean isConflict(Throwable thrown) {
        return thrown instanceof OptimisticLockException || (OfHibernate.IS_PRESENT && OfHibernate.isConflict(thrown));
    }

    @Override
    boolean isFromDatabase(Throwable thrown) {
        return thrown instanceof PersistenceException;
    }

    /** Functions that require Hibernate. */
    private static final class OfHibernate {
        static final boolean IS_PRESENT =
                ClassUtils.isPresent("org.hibernate.engine.spi.SessionImplementor", JpaEntities.class.getClassLoader());

        private OfHibernate() {}

        static boolean provides(EntityManager session) {
            return IS_PRESENT && session.getDelegate() instanceof SessionImplementor;
        }

        static boolean isFlushedByHand(EntityManager session) {
            return session.unwrap(SessionImplementor.class).getHibernateFlushMode() == FlushMode.MANUAL;
        }

        static void beforeCommit(EntityManager session) {
            session.unwrap(SessionImplementor.class).beforeTransactionCompletion();
        }

        static boolean isConflict(Throwable thrown) {
            return thrown instanceof StaleStateException;
        }
    }
}
