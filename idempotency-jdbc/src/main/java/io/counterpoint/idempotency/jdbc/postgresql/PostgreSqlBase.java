package io.counterpoint.idempotency.jdbc.postgresql;

import io.counterpoint.idempotency.jdbc.session.Sql;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordRow;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.spi.Fault;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** What is the same on all servers that speak PostgreSQL: their sessions, and what their errors prove. */
public abstract class PostgreSqlBase implements Dialect {

    protected static final RecordRow ROW = new RecordRow();

    /** In a failed transaction. */
    private static final String ABORTED = "25P02";

    private final RecordTable table;
    private final String schemaFile;

    protected PostgreSqlBase(RecordTable table, String schemaFile) {
        this.table = table;
        this.schemaFile = schemaFile;
    }

    @Override
    public final RecordTable table() {
        return table;
    }

    @Override
    public final String schemaFile() {
        return schemaFile;
    }

    @Override
    public final String schema() {
        return table.script(PostgreSqlBase.class.getResourceAsStream("/" + schemaFile), schemaFile, false);
    }

    @Override
    public final boolean hasBegun(Connection connection) throws SQLException {
        return PgDriver.hasBegun(connection);
    }

    @Override
    public final void isolate(Connection connection, int level) throws SQLException {
        Sql.execute(
                connection,
                "SET TRANSACTION ISOLATION LEVEL "
                        + switch (level) {
                            case Connection.TRANSACTION_READ_COMMITTED -> "READ COMMITTED";
                            case Connection.TRANSACTION_REPEATABLE_READ -> "REPEATABLE READ";
                            case Connection.TRANSACTION_SERIALIZABLE -> "SERIALIZABLE";
                            default -> throw new IllegalArgumentException("Unexpected isolation level " + level);
                        });
    }

    @Override
    public final void requireCommittable(Connection connection) throws SQLException {
        if (!PgDriver.isKnown(connection)) {
            // Fails with 25P02 if the transaction is aborted; the driver's commit would not.
            Sql.execute(connection, "SELECT 1");
        } else if (PgDriver.isFailed(connection)) {
            throw new Dialect.Refusal(
                    "the database has aborted this transaction because of an SQL error that the work swallowed; its"
                            + " commit would be a silent rollback. Let the error out, or set a savepoint before a"
                            + " statement that may fail",
                    ABORTED,
                    null);
        }
    }

    @Override
    public Fault classify(SQLException thrown) {
        return PostgreSqlErrors.classify(thrown, Dialect.super.classify(thrown));
    }

    @Override
    public final Optional<String> constraint(SQLException thrown) {
        return PgDriver.constraint(thrown);
    }
}
