package io.counterpoint.idempotency.jdbc.postgresql;

import static io.counterpoint.idempotency.jdbc.spi.RecordRow.bindKey;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.bytes;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.session.CommitWarning;
import io.counterpoint.idempotency.jdbc.spi.ClaimOptions;
import io.counterpoint.idempotency.jdbc.spi.CombinedStatements;
import io.counterpoint.idempotency.jdbc.spi.InsertResult;
import io.counterpoint.idempotency.jdbc.spi.TransactionName;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;

/** Several steps in one round trip to PostgreSQL. */
final class PostgreSqlCombined implements CombinedStatements {

    private final PostgreSqlStatements statements;

    PostgreSqlCombined(PostgreSqlStatements statements) {
        this.statements = statements;
    }

    /** MERGE came with version 15, which the driver knows without asking. */
    @Override
    public boolean marksWithCommit(Connection connection) throws SQLException {
        return connection.getMetaData().getDatabaseMajorVersion() >= 15;
    }

    @Override
    public InsertResult claimAndLock(Connection connection, Pending pending, ClaimOptions terms) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                terms.mayBeLost() ? statements.claimRelaxedAndLock : statements.claimAndLock)) {
            int at = PostgreSqlDialect.bindAlone(statement, pending, terms);
            statement.setObject(bindKey(statement, at, pending.key()), pending.token());
            statement.execute();
            boolean inserted = statement.getUpdateCount() == 1;
            try (ResultSet rows = firstRows(statement)) {
                return rows.next()
                        ? InsertResult.in(new TransactionName(rows.getString(1)))
                        : inserted ? InsertResult.COMMITTED : InsertResult.EXISTS;
            }
        } catch (SQLException thrown) {
            throw PostgreSqlErrors.ofClaim(thrown);
        }
    }

    @Override
    public Optional<IdempotencyRecord> readAndEnd(Connection connection, IdempotencyKey key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(statements.readAndEnd)) {
            bindKey(statement, 1, key);
            statement.execute();
            try (ResultSet rows = firstRows(statement)) {
                return rows.next() ? Optional.of(PostgreSqlDialect.ROW.recordIn(rows, 1, key)) : Optional.empty();
            }
        }
    }

    /** Of several statements the first that has rows, if only none. */
    static ResultSet firstRows(PreparedStatement statement) throws SQLException {
        ResultSet rows = statement.getResultSet();
        while (rows == null) {
            if (!statement.getMoreResults() && statement.getUpdateCount() < 0) {
                throw new SQLException("The database did not answer to the lock.", "08P01");
            }
            rows = statement.getResultSet();
        }
        return rows;
    }

    /** The error that a mark raises where it changes nothing keeps the server from getting to the commit. */
    @Override
    public boolean succeedAndCommit(
            Connection connection,
            IdempotencyKey key,
            UUID token,
            Optional<Payload> result,
            TransactionName transaction)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(statements.succeedAndCommit)) {
            statement.setBytes(1, bytes(result));
            int at = bindKey(statement, 2, key);
            statement.setObject(at, token);
            statement.setString(at + 1, transaction.text());
            return isCommitted(statement);
        } catch (SQLException thrown) {
            if (PostgreSqlErrors.isRaisedByUs(thrown)) {
                return false;
            }
            throw PostgreSqlErrors.reached(thrown);
        }
    }

    /** Whether the step before the commit has written one row. */
    private static boolean isCommitted(PreparedStatement statement) throws SQLException {
        statement.execute();
        boolean written = statement.getUpdateCount() == 1;
        CommitWarning.requireNone(statement.getWarnings());
        return written;
    }

    @Override
    public boolean guardAndCommit(Connection connection, TransactionName transaction) throws SQLException {
        boolean claimed = transaction.equals(PostgreSqlStatements.CLAIMED_IN);
        try (PreparedStatement statement = connection.prepareStatement(
                claimed ? PostgreSqlStatements.GUARD_CLAIMED_AND_COMMIT : PostgreSqlStatements.GUARD_AND_COMMIT)) {
            if (!claimed) {
                statement.setString(1, transaction.text());
            }
            statement.execute();
            CommitWarning.requireNone(statement.getWarnings());
            return true;
        } catch (SQLException thrown) {
            if (PostgreSqlErrors.isRaisedByUs(thrown)) {
                return false;
            }
            throw thrown;
        }
    }

    /** The error of the insert keeps the server from getting to the commit. */
    @Override
    public boolean insertAndCommit(Connection connection, IdempotencyRecord record, ClaimOptions options)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(statements.insertAndCommit)) {
            int unused = PostgreSqlDialect.bindInsert(statement, record, options);
            return isCommitted(statement);
        } catch (SQLException thrown) {
            throw PostgreSqlErrors.ofClaim(thrown);
        }
    }
}
