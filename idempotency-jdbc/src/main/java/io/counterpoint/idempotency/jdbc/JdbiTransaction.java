package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.spi.ClaimOptions;
import io.counterpoint.idempotency.jdbc.spi.CombinedStatements;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.InsertResult;
import io.counterpoint.idempotency.jdbc.spi.LockedRecord;
import io.counterpoint.idempotency.jdbc.spi.RecordChange;
import io.counterpoint.idempotency.jdbc.spi.RecordRow;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.RecordSteps;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The steps of one transaction on one connection. The statements are the dialect's. */
final class JdbiTransaction implements RecordSteps {

    private final Dialect dialect;
    private final Connection connection;
    private final boolean autoCommit;
    private final boolean relaxedClaims;

    /** The database's name for the transaction in which the record was claimed or locked, for the mark to demand. */
    private Optional<String> transaction = Optional.empty();

    /** A lock that this transaction has from the start, until it is asked for. */
    private Optional<LockedRecord> held = Optional.empty();

    /** The mark that is sent in the same round trip as the commit, if any. */
    private Optional<SuccessMark> markAtCommit = Optional.empty();

    private Optional<Guard> guardAtCommit = Optional.empty();

    /** What sends it. */
    private Optional<CombinedStatements> combined = Optional.empty();

    /** With {@code autoCommit} each step is a transaction of its own. */
    JdbiTransaction(Dialect dialect, Connection connection, boolean autoCommit, boolean relaxedClaims) {
        this.dialect = dialect;
        this.connection = connection;
        this.autoCommit = autoCommit;
        this.relaxedClaims = relaxedClaims;
    }

    /** In a transaction that begins with this lock. */
    JdbiTransaction holding(Optional<LockedRecord> lock) {
        held = lock;
        return this;
    }

    @Override
    public Optional<IdempotencyRecord> claim(
            IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
        ClaimOptions terms = terms(retention, lockWait, durability);
        return step("claim", record.key(), () -> {
            InsertResult inserted = dialect.insert(connection, record, terms);
            if (inserted.inserted()) {
                transaction = inserted.transaction();
                return Optional.empty();
            }
            return found(dialect.read(connection, record.key()), record.key());
        });
    }

    @Override
    public Map<IdempotencyKey, IdempotencyRecord> readAll(List<IdempotencyKey> keys) {
        return step("read", keys.get(0), () -> dialect.readAll(connection, Set.copyOf(keys)));
    }

    @Override
    public Map<IdempotencyKey, IdempotencyRecord> claimAll(
            List<? extends IdempotencyRecord> records, Duration retention, Duration lockWait) {
        return step("claim", records.get(0).key(), () -> {
            ClaimedRecords claimed =
                    ClaimedRecords.of(dialect, connection, records, terms(retention, lockWait, Durability.DURABLE));
            transaction = claimed.transaction();
            return claimed.found();
        });
    }

    @Override
    public void succeedAllAndCommit(List<Success> successes, Supplier<? extends RuntimeException> otherwise) {
        IdempotencyKey first = successes.get(0).key();
        String name = transaction.orElse(null);
        if (!step("mark as succeeded", first, () -> dialect.succeedAll(connection, successes, name))) {
            throw otherwise.get();
        }
    }

    /** How a claim in this transaction is to be made. */
    ClaimOptions terms(Duration retention, Duration lockWait, Durability durability) {
        return new ClaimOptions(
                retention, lockWait, autoCommit, relaxedClaims && durability == Durability.ASYNCHRONOUS);
    }

    /** The record that a claim has met. */
    static Optional<IdempotencyRecord> found(Optional<IdempotencyRecord> record, IdempotencyKey key) {
        if (record.isEmpty()) {
            throw new StoreException(
                    key + ": there was a record when it was claimed, and none when it was read", Fault.CONFLICT, null);
        }
        return record;
    }

    @Override
    public Optional<IdempotencyRecord> read(IdempotencyKey key) {
        return step("read", key, () -> dialect.read(connection, key));
    }

    @Override
    public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
        return step("lock", key, () -> {
            Optional<LockedRecord> found =
                    held.filter(lock -> lock.record().key().equals(key));
            held = Optional.empty();
            if (found.isEmpty()) {
                found = dialect.lock(connection, key, lockWait);
            }
            transaction = found.map(LockedRecord::transaction);
            return found.map(LockedRecord::record);
        });
    }

    @Override
    public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
        return change(
                "mark as succeeded",
                RecordChange.SUCCEED,
                key,
                token,
                RecordRow.bytes(result),
                transaction.orElse(null));
    }

    @Override
    public void succeedAndCommit(
            IdempotencyKey key, UUID token, Optional<Payload> result, Supplier<? extends RuntimeException> otherwise) {
        if (transaction.isPresent() && marksWithCommit(key)) {
            markAtCommit = Optional.of(new SuccessMark(key, token, result, transaction.get(), otherwise));
        } else if (!succeed(key, token, result)) {
            throw otherwise.get();
        }
    }

    private boolean marksWithCommit(IdempotencyKey key) {
        return step("mark as succeeded", key, () -> {
            combined = dialect.combined(connection);
            return combined.isPresent() && combined.get().marksWithCommit(connection);
        });
    }

    @Override
    public void requireSameTransaction(IdempotencyKey key, Supplier<? extends RuntimeException> otherwise) {
        transaction.ifPresent(name -> step("guard", key, () -> {
            combined = dialect.combined(connection);
            if (combined.isPresent()) {
                guardAtCommit = Optional.of(new Guard(name, otherwise));
            } else if (!dialect.isTransaction(connection, name)) {
                throw otherwise.get();
            }
            return true;
        }));
    }

    /**
     * Commits. PostgreSQL warns where it gave up waiting for its standby: the commit may be lost with this server.
     *
     * @return the warning, if there was one
     */
    @Nullable
    SQLException commit() throws SQLException {
        try {
            if (!endsTogether()) {
                throw notItsOwn();
            }
        } catch (CommitWarning warning) {
            return warning;
        }
        if (!hasCommitted()) {
            connection.commit();
            return answered(connection::getWarnings);
        }
        // Sends nothing, but pools keep books.
        return answered(() -> {
            connection.commit();
            return null;
        });
    }

    /** What a commit that failed is called in messages: with the key, where the mark was sent with it. */
    String failedCommit() {
        return markAtCommit.map(mark -> mark.key() + ": could not commit").orElse("Could not commit");
    }

    /** A failure after the answer to the commit says nothing of the commit. */
    private @Nullable SQLException answered(AfterCommit step) {
        try {
            return step.run();
        } catch (SQLException thrown) {
            throw StoreException.of(
                    "The commit was answered, and then the connection failed", Fault.CONNECTION_LOST, dialect, thrown);
        }
    }

    private interface AfterCommit {
        @Nullable
        SQLException run() throws SQLException;
    }

    /**
     * Sends the mark or the guard, and the commit in the same round trip. Sends nothing if there is neither.
     *
     * @return false if this is not the transaction any more in which the record was claimed or locked; then nothing is
     *     committed
     */
    private boolean endsTogether() throws SQLException {
        if (markAtCommit.isPresent()) {
            SuccessMark mark = markAtCommit.get();
            return combined.orElseThrow()
                    .succeedAndCommit(connection, mark.key(), mark.token(), mark.result(), mark.transaction());
        }
        return guardAtCommit.isEmpty()
                || combined.orElseThrow()
                        .guardAndCommit(connection, guardAtCommit.get().transaction());
    }

    /** Whether {@link #endsTogether} has sent the commit. */
    private boolean hasCommitted() {
        return markAtCommit.isPresent() || guardAtCommit.isPresent();
    }

    private RuntimeException notItsOwn() {
        return markAtCommit
                .<Supplier<? extends RuntimeException>>map(SuccessMark::otherwise)
                .or(() -> guardAtCommit.map(Guard::otherwise))
                .orElseThrow()
                .get();
    }

    /** A success to be marked with the commit, and what is thrown if the record is not changed. */
    private record SuccessMark(
            IdempotencyKey key,
            UUID token,
            Optional<Payload> result,
            String transaction,
            Supplier<? extends RuntimeException> otherwise) {}

    /** What has to be true at the commit, and what is thrown if it is not. */
    private record Guard(String transaction, Supplier<? extends RuntimeException> otherwise) {}

    @Override
    public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
        return change("mark as failed", RecordChange.FAIL, key, token, failure.code(), failure.message());
    }

    @Override
    public boolean release(IdempotencyKey key, UUID token) {
        return change("release", RecordChange.RELEASE, key, token);
    }

    @Override
    public boolean replaceToken(IdempotencyKey key, UUID token, UUID fresh) {
        return change("replace the token of", RecordChange.REPLACE_TOKEN, key, token, fresh);
    }

    @Override
    public boolean confirm(IdempotencyKey key, UUID token) {
        return step("confirm", key, () -> dialect.confirm(connection, key, token, autoCommit));
    }

    private boolean change(
            String doing, RecordChange change, IdempotencyKey key, UUID token, @Nullable Object... values) {
        return step(doing, key, () -> dialect.change(connection, change, key, token, autoCommit, values));
    }

    private <T> T step(String doing, IdempotencyKey key, SqlStep<T> step) {
        try {
            return step.run();
        } catch (SQLException thrown) {
            throw StoreException.of(key + ": could not " + doing + " the record", dialect, connection, thrown);
        }
    }

    private interface SqlStep<T> {
        T run() throws SQLException;
    }
}
