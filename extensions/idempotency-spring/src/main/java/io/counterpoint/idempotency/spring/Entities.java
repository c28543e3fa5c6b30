package io.counterpoint.idempotency.spring;

import io.counterpoint.idempotency.IdempotencyKey;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.ClassUtils;

/**
 * Participants in transactions other than JDBC. There are none in this class, which is used without Jakarta
 * Persistence.
 */
class Entities {

    /** A connection outside transactions. */
    interface Loan {
        Connection connection();

        void giveBack() throws SQLException;
    }

    static Entities of(PlatformTransactionManager manager) {
        ClassLoader loader = Entities.class.getClassLoader();
        return ClassUtils.isPresent("org.springframework.orm.jpa.JpaTransactionManager", loader)
                        && ClassUtils.isPresent("jakarta.persistence.EntityManager", loader)
                ? new JpaEntities(manager)
                : new Entities();
    }

    Loan lend(DataSource dataSource) throws SQLException {
        Connection connection = dataSource.getConnection();
        return new Loan() {
            @Override
            public Connection connection() {
                return connection;
            }

            @Override
            public void giveBack() throws SQLException {
                connection.close();
            }
        };
    }

    /**
     * In a multi-tenant application, rejects a scope that does not include the caller's tenant, because two tenants
     * could share a key.
     */
    void requireTenantIn(IdempotencyKey key) {}

    /**
     * Whether entities of a session are bound to this thread. Before a transaction begins, that session is its
     * caller's.
     */
    boolean areBound() {
        return false;
    }

    /** Flushes pending changes of entities in the transaction. */
    void flush() {}

    /** Does what Hibernate does before a commit, such as checking optimistic locks. */
    void beforeCommit() {}

    /** Detaches entities whose transaction has an unknown outcome. */
    void clear() {}

    /** Whether this very exception reports an optimistic lock failure. */
    boolean isConflict(Throwable thrown) {
        return false;
    }

    /** Whether this very exception was caused by a database error. */
    boolean isFromDatabase(Throwable thrown) {
        return false;
    }
}
