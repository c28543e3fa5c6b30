package io.counterpoint.idempotency.jdbc.session;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/** The steps of a transaction whose record is a row of the domain. A row has no state, so that nothing changes it. */
final class RowTransaction extends JdbcTransaction {

    private final DomainRow row;

    RowTransaction(LentConnection<?> lent, boolean autoCommit, StoreOptions options, DomainRow row) {
        super(lent, autoCommit, options);
        this.row = row;
    }

    /** The row's own insert. The transaction of another row with the key keeps it waiting, and then it is refused. */
    @Override
    public Optional<IdempotencyRecord> claim(
            IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
        return step("insert", record.key(), () -> {
            named(dialect.insertRow(connection, row.insert(), row.values(record)));
            return Optional.empty();
        });
    }

    @Override
    public Optional<IdempotencyRecord> read(IdempotencyKey key) {
        return step("read", key, () -> found(row.select(), key));
    }

    @Override
    public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
        return step("lock", key, () -> found(dialect.lockingRow(row.select()), key));
    }

    private Optional<IdempotencyRecord> found(String sql, IdempotencyKey key) throws SQLException {
        return Sql.prepared(connection, sql, statement -> {
            statement.setObject(1, row.value(key));
            return row.record(key, statement.executeQuery());
        });
    }

    /** The lock was written, and the commit makes it last. */
    @Override
    public boolean confirm(IdempotencyKey key, UUID token) {
        return true;
    }
}
