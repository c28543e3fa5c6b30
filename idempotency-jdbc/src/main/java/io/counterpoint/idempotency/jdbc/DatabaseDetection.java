package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.jdbc.h2.H2Dialect;
import io.counterpoint.idempotency.jdbc.postgresql.PgDriver;
import io.counterpoint.idempotency.jdbc.postgresql.PostgreSqlDialect;
import io.counterpoint.idempotency.jdbc.postgresql.PostgreSqlServer;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;

/**
 * Finds out which database a connection leads to, by what the server says of itself. Databases that speak the language of
 * another one, and do not keep its promises, are refused by name.
 */
final class DatabaseDetection {

    private static final Set<String> OF_MARIADB = Set.of("MariaDB", "MySQL");

    private DatabaseDetection() {}

    /**
     * The dialect for the database of a connection, for {@link RecordTable#DEFAULT}.
     *
     * @throws IllegalStateException if there is none
     */
    static Dialect dialectOf(Connection connection) throws SQLException {
        String product = String.valueOf(connection.getMetaData().getDatabaseProductName());
        return switch (product) {
            case "H2" -> new H2Dialect(RecordTable.DEFAULT);
            case "PostgreSQL" -> ofPostgreSql(connection);
            default -> provided(connection).orElseThrow(() -> unknown(product));
        };
    }

    /** The question begins a transaction where autocommit is off. One that had begun before is left as it is. */
    private static Dialect ofPostgreSql(Connection connection) throws SQLException {
        boolean begins = !connection.getAutoCommit() && !PgDriver.hasBegun(connection);
        try {
            PostgreSqlServer.Session session = PostgreSqlServer.of(connection);
            if (session.server().isPlain()) {
                return PlainPostgreSqlDialect.create();
            }
            session.requireFit();
            return new PostgreSqlDialect(RecordTable.DEFAULT);
        } finally {
            if (begins) {
                connection.rollback();
            }
        }
    }

    /** By a module that this one does not know. The store of a framework may be called by a thread of another loader. */
    private static Optional<Dialect> provided(Connection connection) throws SQLException {
        for (ClassLoader loader : new ClassLoader[] {
            DatabaseDetection.class.getClassLoader(), Thread.currentThread().getContextClassLoader()
        }) {
            for (Dialect.Provider provider : ServiceLoader.load(Dialect.Provider.class, loader)) {
                Optional<Dialect> dialect = provider.dialectFor(connection);
                if (dialect.isPresent()) {
                    return dialect;
                }
            }
        }
        return Optional.empty();
    }

    private static IllegalStateException unknown(String product) {
        return new IllegalStateException("There is no dialect for " + product + ". "
                + (OF_MARIADB.contains(product)
                        ? "Add the artifact idempotency-mariadb, which has one."
                        : "Write one, as docs/add-a-database.md says, and name it or provide it by a"
                                + " Dialect.Provider."));
    }
}
