package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.NestedCallException;
import io.counterpoint.idempotency.internal.KeyedPermits;
import io.counterpoint.idempotency.jdbc.session.Connections;
import io.counterpoint.idempotency.jdbc.session.DatabaseErrors;
import io.counterpoint.idempotency.jdbc.session.JdbcSession;
import io.counterpoint.idempotency.jdbc.session.LentConnection;
import io.counterpoint.idempotency.jdbc.session.SqlErrorClassifier;
import io.counterpoint.idempotency.jdbc.session.StoreFailures;
import io.counterpoint.idempotency.jdbc.session.StoreOptions;
import io.counterpoint.idempotency.jdbc.session.Turn;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.LockScope;
import io.counterpoint.idempotency.spi.Session;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A store for any kind of handle. It opens sessions only outside transactions. A claim waits for the permit of its key
 * before it borrows a connection.
 *
 * @param <C> the handle that the work gets
 */
abstract class SqlStore<C> implements IdempotencyStore<C> {

    final View<C> view;
    private final DetectedTable table;

    SqlStore(View<C> view) {
        this.view = view;
        this.table = view.table();
    }

    /** The parts of a store. Views of one table share everything but the options. */
    record View<C>(Connections<C> connections, DetectedTable table, StoreOptions options) {
        View(Connections<C> connections) {
            this(connections, DetectedTable.of(connections), StoreOptions.DEFAULT);
        }
    }

    // ---- the table -----------------------------------------------------------------------------------------------

    void requireFitTable() {
        Dialect dialect = table.dialect();
        ask("check", dialect, connection -> {
            TableCheck.check(connection, dialect, view.options().boundedBySession());
            if (view.options().durableReplays()) {
                String unused = JdbcSession.barrier(dialect);
            }
            if (view.options().turns()) {
                Turn.require(connection, dialect);
            }
            return true;
        });
        table.checked();
    }

    TableInspection inspectTable() {
        try {
            Dialect dialect = table.dialect();
            return ask("inspect", dialect, connection -> TableCheck.inspect(connection, dialect));
        } catch (MisuseException unfit) {
            return TableInspection.unfit(String.valueOf(unfit.getMessage()));
        }
    }

    void createTable() {
        requireNotInside();
        Dialect dialect = table.dialect();
        ask("create", dialect, connection -> {
            Connections.requireNotBegun(connection, dialect);
            // A database of another dialect might accept these statements, or reject them without a helpful reason.
            TableInspection unused = TableCheck.inspect(connection, dialect);
            Schema.create(connection, dialect);
            return true;
        });
        requireFitTable();
    }

    private <T> T ask(String doing, Dialect dialect, Connections.Question<T> question) {
        try {
            return view.connections().ask(connection -> answered(connection, dialect, question));
        } catch (SQLException thrown) {
            throw StoreFailures.of(
                    "Could not " + doing + " table " + dialect.table(),
                    SqlErrorClassifier.classify(thrown, dialect),
                    dialect,
                    thrown);
        }
    }

    /** Without autocommit, a question begins a transaction, and not every pool rolls it back. */
    private static <T> T answered(Connection connection, Dialect dialect, Connections.Question<T> question)
            throws SQLException {
        boolean begins = !connection.getAutoCommit() && !dialect.hasBegun(connection);
        try {
            return question.ask(connection);
        } finally {
            if (begins) {
                connection.rollback();
            }
        }
    }

    @Override
    public boolean keepsEveryInsert() {
        return table.keepsEveryInsert();
    }

    // ---- sessions ------------------------------------------------------------------------------------------------

    @Override
    public Session<C> open(IdempotencyKey key) {
        return session(null);
    }

    @Override
    public Session<C> openForClaim(IdempotencyKey key, Duration maxWait) {
        requireNotInside();
        KeyedPermits<IdempotencyKey>.Permit permit = table.permits.acquire(key, maxWait);
        try {
            return session(permit);
        } catch (RuntimeException | Error thrown) {
            permit.release();
            throw thrown;
        }
    }

    private JdbcSession<C> session(KeyedPermits<IdempotencyKey>.@Nullable Permit permit) {
        requireNotInside();
        LentConnection<C> lent = view.connections().borrow(table.dialect());
        try {
            table.requireSame(lent.guard().delegate());
            return new JdbcSession<>(lent, keepsEveryInsert(), view.options(), permit);
        } catch (RuntimeException | Error thrown) {
            lent.close(thrown instanceof MisuseException);
            throw thrown;
        }
    }

    /** Rule 17: rejects calls inside a transaction that is not this library's, or inside another call. */
    @Override
    public void requireNotInside() {
        if (view.options().insideForeignTransaction().getAsBoolean()) {
            throw new NestedCallException(
                    "Called inside a transaction that does not belong to this library. Its rollback would not undo"
                            + " the operation, and it would not see the operation's effect. Call it outside that"
                            + " transaction, and use the handle passed to the work for the work's own statements.");
        }
        view.connections().requireNotInside();
    }

    @Override
    public int purgeExpired(int batch) {
        try (JdbcSession<?> session = session(null)) {
            return session.purge(connection -> table.sweep.purge(table.dialect(), connection, batch));
        }
    }

    @Override
    public Optional<IdempotencyRecord> read(IdempotencyKey key) {
        try (Session<?> session = session(null)) {
            return session.autoCommit(steps -> steps.read(key));
        }
    }

    @Override
    public void awaitDurable(IdempotencyKey key) {
        if (view.options().durableReplays()) {
            try (JdbcSession<C> session = session(null)) {
                session.awaitDurable(key);
            }
        }
    }

    // ---- properties of the database ------------------------------------------------------------------------------

    @Override
    public Fault classify(Throwable thrown) {
        return table.classify(thrown);
    }

    @Override
    public Optional<Failure> describe(Throwable thrown) {
        return DatabaseErrors.isOfDatabase(thrown)
                ? Optional.of(DatabaseErrors.describe(thrown, classify(thrown)))
                : Optional.empty();
    }

    @Override
    public Optional<String> remedy(Throwable thrown) {
        return table.known().flatMap(dialect -> DatabaseErrors.remedy(thrown, dialect));
    }

    /** Detects the database if it is not known yet. If that fails, the strictest rules apply. */
    @Override
    public LockScope lockScope() {
        if (table.known().isEmpty()) {
            requireNotInside();
        }
        try {
            return table.dialect().lockScope();
        } catch (MisuseException unfit) {
            throw unfit;
        } catch (RuntimeException unanswered) {
            return LockScope.NODE;
        }
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + "[" + table + "]";
    }
}
