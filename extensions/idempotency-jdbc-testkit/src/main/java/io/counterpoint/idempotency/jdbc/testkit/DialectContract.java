package io.counterpoint.idempotency.jdbc.testkit;

import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.testkit.Domain;
import io.counterpoint.idempotency.testkit.IdempotencyStoreContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * The contract of a {@link Dialect}: the contract of stores on it, and tests specific to its database. A dialect that
 * fails it is incorrect. All you need is a subclass:
 *
 * <pre>{@code
 * class MyDialectTest extends DialectContract {
 *     @Override
 *     protected Dialect dialect() { return new MyDialect(RecordTable.DEFAULT); }
 *
 *     @Override
 *     protected DataSource dataSource() { return pool; }
 * }
 * }</pre>
 *
 * <p>It needs a dedicated database, in which it creates and empties the records' table and the tables {@code effect}
 * and {@code shared}. The pool should provide up to 64 connections.
 */
public abstract class DialectContract extends IdempotencyStoreContract<Handle> {

    /**
     * Tables are created and checked once per pool, because the check reads the database's catalogue, which is slow.
     */
    private static volatile @Nullable Prepared last;

    private record Prepared(DataSource source, JdbiIdempotencyStore store) {}

    /** For use by subclasses. */
    protected DialectContract() {}

    /**
     * Returns the dialect under test, with its default table.
     *
     * @return the dialect
     */
    protected abstract Dialect dialect();

    /**
     * Returns the database.
     *
     * @return a pool for it, the same every time
     */
    protected abstract DataSource dataSource();

    @Override
    protected IdempotencyStore<Handle> store() {
        DataSource source = dataSource();
        Prepared before = last;
        Prepared prepared = before != null && before.source == source ? before : prepare(source);
        jdbi().useTransaction(handle -> {
            handle.execute("DELETE FROM " + dialect().table());
            handle.execute("DELETE FROM effect");
            handle.execute("DELETE FROM shared");
            handle.execute("INSERT INTO shared (id, changes) VALUES ('left', 0), ('right', 0)");
        });
        return prepared.store;
    }

    private Prepared prepare(DataSource source) {
        JdbiIdempotencyStore store = newStore().createTableIfMissing();
        jdbi().useTransaction(handle -> {
            handle.execute("CREATE TABLE IF NOT EXISTS effect (id varchar(255) NOT NULL)");
            handle.execute(
                    "CREATE TABLE IF NOT EXISTS shared (id varchar(10) NOT NULL PRIMARY KEY, changes int NOT NULL)");
        });
        Prepared prepared = new Prepared(source, store);
        last = prepared;
        return prepared;
    }

    private JdbiIdempotencyStore newStore() {
        return JdbiIdempotencyStore.builder(jdbi())
                .dialect(dialect())
                .table(jdbi().withHandle(handle -> qualified(handle.getConnection())))
                .build();
    }

    /** The table with its schema, which operations that record last require. Some databases call it the catalog. */
    private String qualified(Connection connection) {
        RecordTable table = dialect().table();
        try {
            String schema = connection.getSchema() == null ? connection.getCatalog() : connection.getSchema();
            return table.schema().isEmpty() ? schema + "." + table : table.toString();
        } catch (SQLException thrown) {
            throw new IllegalStateException("cannot find out the schema of the connection", thrown);
        }
    }

    @Override
    protected Domain<Handle> domain() {
        return new Domain<>() {
            @Override
            public void write(Handle handle, String name) {
                handle.execute("INSERT INTO effect (id) VALUES (?)", name);
            }

            @Override
            public boolean isThere(Handle handle, String name) {
                return handle.createQuery("SELECT count(*) FROM effect WHERE id = :id")
                                .bind("id", name)
                                .mapTo(Integer.class)
                                .one()
                        > 0;
            }

            @Override
            public boolean changeShared(Handle handle, String name) {
                handle.execute("UPDATE shared SET changes = changes + 1 WHERE id = ?", name);
                return true;
            }

            @Override
            public List<String> committed() {
                return jdbi().withHandle(handle -> handle.createQuery("SELECT id FROM effect")
                        .mapTo(String.class)
                        .list());
            }
        };
    }

    Jdbi jdbi() {
        return Jdbi.create(dataSource());
    }

    @Nested
    class Tables extends TableContract {
        Tables() {
            super(DialectContract.this::dialect, DialectContract.this::dataSource);
        }
    }

    /**
     * Returns the statements that end a transaction, and with it the protection of the work.
     *
     * @return the statements; more if DDL commits, none if such an end looks like a conflict
     */
    protected List<String> endsOfTransactions() {
        return List.of("COMMIT", "ROLLBACK");
    }

    @Nested
    @Tag("large")
    class Ends extends EndedTransactionContract {
        Ends() {
            super(DialectContract.this::jdbi, DialectContract.this::newStore, endsOfTransactions());
        }

        @Override
        boolean shows(Way way, String ending, Then then) throws SQLException {
            if (way != Way.RECORD_LAST) {
                return true;
            }
            try (Handle handle = jdbi().open()) {
                handle.begin();
                boolean named = dialect().beginNamed(handle.getConnection()).isPresent();
                handle.rollback();
                return named;
            }
        }
    }

    @Nested
    @Tag("large")
    class Texts extends StatementTextContract {
        Texts() {
            super(
                    DialectContract.this::dataSource,
                    DialectContract.this::newStore,
                    !endsOfTransactions().isEmpty());
        }
    }

    @Nested
    class Errors extends ErrorContract {
        Errors() {
            super(DialectContract.this::dialect, DialectContract.this::dataSource);
        }
    }
}
