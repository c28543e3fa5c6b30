package io.counterpoint.idempotency.jdbc.session;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.spi.ClaimOptions;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.InsertResult;
import io.counterpoint.idempotency.jdbc.spi.TransactionName;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The claims of many keys in one transaction.
 *
 * @param found the records that were there
 * @param transaction the database's name for the transaction, if it has inserted any
 */
record ClaimedRecords(Map<IdempotencyKey, IdempotencyRecord> found, Optional<TransactionName> transaction) {

    static ClaimedRecords of(
            Dialect dialect, Connection connection, List<? extends IdempotencyRecord> records, ClaimOptions terms)
            throws SQLException {
        Map<IdempotencyKey, InsertResult> results = dialect.insertAll(connection, records, terms);
        Set<IdempotencyKey> present = results.entrySet().stream()
                .filter(result -> !result.getValue().inserted())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
        Map<IdempotencyKey, IdempotencyRecord> found =
                present.isEmpty() ? Map.of() : dialect.readAll(connection, present);
        for (IdempotencyKey key : present) {
            JdbcTransaction.found(Optional.ofNullable(found.get(key)), key);
        }
        Optional<TransactionName> transaction = results.values().stream()
                .flatMap(result -> result.transaction().stream())
                .findFirst();
        return new ClaimedRecords(found, transaction);
    }
}
