package io.counterpoint.idempotency.spring;

import io.counterpoint.idempotency.IdempotencyKey;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.ClassUtils;

/** What takes part in the transactions besides JDBC: here nothing, since Jakarta Persistence is absent. */
class Entities {

    /** A connection outside of transactions. */
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

    /** Refuses a scope that does not name the caller's tenant, where there are tenants: two of them could share a key. */
    void requireTenantIn(IdempotencyKey key) {}

    /** Whether entities of a session are bound to this thread. Before a transaction begins, that is its caller's. */
    boolean areBound() {
        return false;
    }

    /** Writes what entities in the transaction hold back. */
    void flush() {}

    /** Does what Hibernate does before a commit, such as the check of an optimistic lock. */
    void beforeCommit() {}

    /** Forgets entities whose transaction has an unknown end. */
    void clear() {}

    /** Whether that very object says that an optimistic lock did not hold. */
    boolean isConflict(Throwable thrown) {
        return false;
    }

    /** Whether that very object is thrown for what the database answered. */
    boolean isFromDatabase(Throwable thrown) {
        return false;
    }
}
