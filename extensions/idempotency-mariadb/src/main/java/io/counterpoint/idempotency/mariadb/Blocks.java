package io.counterpoint.idempotency.mariadb;

import static io.counterpoint.idempotency.jdbc.spi.RecordRow.THIS_KEY;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.bindKey;
import static io.counterpoint.idempotency.mariadb.LockBound.prepared;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.spi.ClaimOptions;
import io.counterpoint.idempotency.jdbc.spi.CombinedStatements;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.InsertResult;
import io.counterpoint.idempotency.jdbc.spi.RecordChange;
import io.counterpoint.idempotency.jdbc.spi.RecordRow;
import io.counterpoint.idempotency.jdbc.spi.TransactionName;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Steps in one round trip, as a MariaDB compound block. The first statement that fails ends the block, so a COMMIT is
 * sent with the statement that decides about it.
 *
 * @param commit the COMMIT and what follows it
 */
record Blocks(Changes changes, Reads reads, String commit) implements CombinedStatements {

    private static final BinaryRow ROW = new BinaryRow();

    /** Raises the error for a missing savepoint. */
    private static final String REQUIRE_ONE_ROW =
            "; IF ROW_COUNT() <> 1 THEN SIGNAL SQLSTATE '42000' SET MYSQL_ERRNO = 1305; END IF";

    @Override
    public Optional<CombinedStatements> turningAutoCommitOn(Connection connection) throws SQLException {
        return DriverUrl.followsServer(connection)
                ? Optional.of(new Blocks(changes, reads, "COMMIT; SET autocommit = 1"))
                : Optional.empty();
    }

    /**
     * Inserts nothing if there is a record, which a leader may hold. In this case, or with a competing call, it ends
     * its transaction. A query in a condition of the block would lock what it reads and wait for that leader; a
     * separate SELECT does neither. Its result is stored in a session variable, because in ORACLE mode a block cannot
     * declare variables.
     */
    @Override
    public InsertResult claimAndLock(Connection connection, Pending pending, ClaimOptions options) throws SQLException {
        String there = " FROM " + changes.table() + " WHERE " + THIS_KEY;
        String block = Server.blockOf(
                Server.AUTOCOMMIT_OFF,
                "SELECT COUNT(*) INTO @idempotency_present" + there,
                "IF @idempotency_present = 0 THEN " + changes.boundedInsert(options),
                "COMMIT",
                "SELECT 1" + there + " AND state = 'P' AND token = ? FOR UPDATE SKIP LOCKED",
                StartSavepoint.SET,
                "ELSE COMMIT",
                "END IF");
        return prepared(connection, block, statement -> {
            int at = Changes.bindInsert(statement, bindKey(statement, 1, pending.key()), pending, options);
            ROW.bindToken(statement, bindKey(statement, at, pending.key()), pending.token());
            if (!isAnswered(connection, statement)) {
                return InsertResult.EXISTS;
            }
            try (ResultSet locked = statement.getResultSet()) {
                boolean isLocked = locked.next();
                return new InsertResult(true, Optional.of(StartSavepoint.NAME).filter(name -> isLocked));
            }
        });
    }

    /**
     * Whether there are rows. A competing call's record that was not visible before ends the block in the middle of its
     * transaction.
     */
    private static boolean isAnswered(Connection connection, PreparedStatement block) throws SQLException {
        try {
            return block.execute();
        } catch (SQLException thrown) {
            if (thrown.getErrorCode() != MariaDbErrors.DUPLICATE) {
                throw thrown;
            }
            LockBound.execute(connection, "ROLLBACK");
            return false;
        }
    }

    @Override
    public Optional<IdempotencyRecord> readAndEnd(Connection connection, IdempotencyKey key) throws SQLException {
        return reads.readAndEnd(connection, key);
    }

    @Override
    public boolean succeedAndCommit(
            Connection connection, IdempotencyKey key, UUID token, Optional<Payload> result, TransactionName name)
            throws SQLException {
        String mark = "; " + changes.sql(RecordChange.SUCCEED) + REQUIRE_ONE_ROW;
        return commits(connection, mark, statement -> {
            changes.bind(statement, key, token, RecordRow.bytes(result));
            return statement.execute();
        });
    }

    @Override
    public boolean checkAndCommit(Connection connection, TransactionName name) throws SQLException {
        return commits(connection, "", PreparedStatement::execute);
    }

    /** {@link Changes#insertEach} inserts several records. */
    @Override
    public boolean insertsTogether(int records) {
        return records == 1;
    }

    @Override
    public boolean insertAndCommit(
            Connection connection, List<? extends IdempotencyRecord> records, ClaimOptions options)
            throws SQLException {
        return commits(connection, "; " + changes.boundedInsert(options) + REQUIRE_ONE_ROW, statement -> {
            int unused = Changes.bindInsert(statement, 1, records.get(0), options);
            return statement.execute();
        });
    }

    /** A block that was killed may have been killed before the COMMIT, after it, or after what follows it. */
    private boolean commits(Connection connection, String step, LockBound.Step<Boolean> use) throws SQLException {
        try {
            boolean unused = prepared(connection, Server.blockOf(StartSavepoint.RELEASE + step, commit), use);
            return true;
        } catch (SQLException thrown) {
            if (thrown.getErrorCode() == MariaDbErrors.NO_SUCH_SAVEPOINT) {
                return false;
            }
            if (MariaDbErrors.KILLED.contains(thrown.getErrorCode())) {
                Dialect.discard(connection);
                throw new Dialect.Refusal("the server was stopped before or after the commit", "08007", thrown);
            }
            throw thrown;
        }
    }
}
