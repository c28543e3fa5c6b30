package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.internal.KeyedPermits;
import io.counterpoint.idempotency.internal.Symptom;
import io.counterpoint.idempotency.jdbc.h2.H2Dialect;
import io.counterpoint.idempotency.jdbc.postgresql.PgDriver;
import io.counterpoint.idempotency.jdbc.postgresql.PostgreSqlDialect;
import io.counterpoint.idempotency.jdbc.postgresql.PostgreSqlServer;
import io.counterpoint.idempotency.jdbc.session.Connections;
import io.counterpoint.idempotency.jdbc.session.SqlErrorClassifier;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The table of a store and what its views share: the dialect, which is either given or detected from the database once,
 * when first needed. Databases that speak another one's protocol without keeping its promises are rejected by name.
 */
final class DetectedTable {

    private static final Set<String> OF_MARIADB = Set.of("MariaDB", "MySQL");

    /** Lets the callers of one key wait for each other. */
    final KeyedPermits<IdempotencyKey> permits = new KeyedPermits<>();

    /** Where the next batch of a purge continues. */
    final PurgeSweep sweep = new PurgeSweep();

    private final Connections<?> connections;
    private final RecordTable name;
    private final Optional<Dialect> given;
    private volatile @Nullable Detected detected;
    private volatile boolean checked;

    private DetectedTable(Connections<?> connections, RecordTable name, Optional<Dialect> given) {
        this.connections = connections;
        this.name = name;
        this.given = given;
    }

    /** What the database reported. */
    private record Detected(Dialect dialect, String product) {}

    static DetectedTable of(Connections<?> connections) {
        return new DetectedTable(connections, RecordTable.DEFAULT, Optional.empty());
    }

    DetectedTable withDialect(Dialect other) {
        return new DetectedTable(connections, other.table(), Optional.of(other));
    }

    DetectedTable withName(RecordTable other) {
        return other.equals(name)
                ? this
                : new DetectedTable(connections, other, given.map(dialect -> dialect.withTable(other)));
    }

    /** Records that the table was checked and found fit. */
    void checked() {
        checked = true;
    }

    /**
     * Whether nothing but this library can affect an insert into the table. A name without a schema may refer to a
     * different, unchecked table on the next connection.
     */
    boolean keepsEveryInsert() {
        return checked && !name.schema().isEmpty();
    }

    /** Returns the dialect if it is known without a connection. */
    Optional<Dialect> known() {
        return given.or(() -> Optional.ofNullable(detected).map(Detected::dialect));
    }

    /**
     * Returns the dialect. Borrows a connection if it is not known yet.
     *
     * @throws IllegalStateException if there is none for the database
     */
    Dialect dialect() {
        return known().orElseGet(this::detect);
    }

    private Dialect detect() {
        try {
            Detected found = connections.ask(
                    connection -> new Detected(dialectOf(connection).withTable(name), product(connection)));
            detected = found;
            return found.dialect();
        } catch (SQLException thrown) {
            Fault known = SqlErrorClassifier.classify(thrown);
            throw new StoreException(
                    "The database could not be identified: SQLSTATE " + thrown.getSQLState(),
                    known == Fault.UNRECOGNISED ? Fault.CONNECTION_LOST : known,
                    thrown);
        }
    }

    /** Returns the dialect for {@link RecordTable#DEFAULT}, according to what the server reports about itself. */
    private static Dialect dialectOf(Connection connection) throws SQLException {
        Optional<String> foreigner = ConnectionCheck.foreigner(connection);
        if (foreigner.isPresent()) {
            throw new MisuseException(Symptom.DATABASE_REFUSED.of(
                    "The data source cannot store idempotency records: " + foreigner.get() + "."));
        }
        String product = product(connection);
        return switch (product) {
            case "H2" -> new H2Dialect(RecordTable.DEFAULT);
            case "PostgreSQL" -> ofPostgreSql(connection);
            default -> provided(connection).orElseThrow(() -> unknown(product));
        };
    }

    /** The query begins a transaction if autocommit is off. A transaction that had already begun is left alone. */
    private static Dialect ofPostgreSql(Connection connection) throws SQLException {
        boolean begins = !connection.getAutoCommit() && !PgDriver.hasBegun(connection);
        try {
            PostgreSqlServer.of(connection).requireFit();
            return new PostgreSqlDialect(RecordTable.DEFAULT);
        } finally {
            if (begins) {
                connection.rollback();
            }
        }
    }

    /**
     * Looks for a dialect in other modules. The store of a framework may be called from a thread with a different class
     * loader.
     */
    private static Optional<Dialect> provided(Connection connection) throws SQLException {
        for (ClassLoader loader : new ClassLoader[] {
            DetectedTable.class.getClassLoader(), Thread.currentThread().getContextClassLoader()
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

    private static MisuseException unknown(String product) {
        return new MisuseException(Symptom.DATABASE_REFUSED.of("There is no dialect for " + product + ". "
                + (OF_MARIADB.contains(product)
                        ? "Add the dependency io.counterpoint.idempotency:idempotency-mariadb."
                        : "Write one as described in docs/add-a-database.md, and pass it to the store or provide it"
                                + " through a Dialect.Provider.")));
    }

    /** Rejects a data source that routes calls to databases of different kinds. */
    void requireSame(Connection connection) {
        Detected expected = detected;
        if (expected == null) {
            return;
        }
        String found;
        try {
            found = product(connection);
        } catch (SQLException unanswered) {
            // The first statement will report what is wrong with the connection.
            return;
        }
        if (!expected.product().equals(found)) {
            throw new MisuseException("The data source returned a connection to " + found + ", after one to "
                    + expected.product() + ". A store works with one kind of database: create one store per kind, and"
                    + " choose between them by the scope of the call.");
        }
    }

    private static String product(Connection connection) throws SQLException {
        return String.valueOf(connection.getMetaData().getDatabaseProductName());
    }

    Fault classify(Throwable thrown) {
        return known().map(dialect -> SqlErrorClassifier.classify(thrown, dialect))
                .orElseGet(() -> SqlErrorClassifier.classify(thrown));
    }

    @Override
    public String toString() {
        return known().map(dialect -> dialect.getClass().getSimpleName()).orElse("database not identified yet") + ", "
                + name + (checked ? ", checked" : ", not checked");
    }
}
