package io.counterpoint.idempotency.jdbc.postgresql;

import static io.counterpoint.idempotency.jdbc.spi.RecordRow.WIDTH;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.micros;
import static io.counterpoint.idempotency.jdbc.spi.RecordRow.millis;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.spi.ClaimOptions;
import io.counterpoint.idempotency.jdbc.spi.InsertResult;
import io.counterpoint.idempotency.jdbc.spi.RecordRow;
import io.counterpoint.idempotency.jdbc.spi.TransactionName;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.LastStep;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Statements of PostgreSQL for many records. Their parameters are arrays, so that one text serves every number. */
final class PostgreSqlMany {

    private final PostgreSqlStatements statements;

    PostgreSqlMany(PostgreSqlStatements statements) {
        this.statements = statements;
    }

    Map<IdempotencyKey, IdempotencyRecord> readAll(Connection connection, Set<IdempotencyKey> keys)
            throws SQLException {
        // Neighbours in the index are read one after the other, from pages that the server has at hand.
        List<IdempotencyKey> wanted = keys.stream()
                .sorted(Comparator.comparing(IdempotencyKey::value))
                .toList();
        Map<IdempotencyKey, IdempotencyRecord> found = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(statements.readAll)) {
            int unused = bindKeys(statement, 1, wanted);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    IdempotencyKey key = wanted.get(rows.getInt(1 + WIDTH) - 1);
                    found.put(key, PostgreSqlDialect.ROW.recordIn(rows, 1, key));
                }
            }
        }
        return found;
    }

    /** What the statement inserts: records without a failure, as a batch has them. */
    static boolean canInsert(List<? extends IdempotencyRecord> records) {
        return records.stream().noneMatch(Failed.class::isInstance);
    }

    Map<IdempotencyKey, InsertResult> insertAll(
            Connection connection, List<? extends IdempotencyRecord> records, ClaimOptions terms) throws SQLException {
        Set<Object> inserted;
        try (PreparedStatement statement = connection.prepareStatement(statements.insertAll)) {
            statement.setString(1, Long.toString(millis(terms.lockWait())));
            // The factor of an interval, so that nothing is cast.
            statement.setDouble(2, (double) micros(terms.retention()));
            int at = bindKeys(
                    statement, 3, records.stream().map(IdempotencyRecord::key).toList());
            bindTexts(statement, at, records, record -> RecordRow.code(record.protocol()));
            bindTexts(
                    statement, at + 1, records, record -> record.fold(pending -> "P", succeeded -> "S", failed -> "F"));
            bindTokens(statement, at + 2, records, IdempotencyRecord::token);
            bindBytes(statement, at + 3, records, record -> record.fingerprint().toBytes());
            bindBytes(statement, at + 4, records, PostgreSqlMany::payload);
            inserted = insertedTokens(statement);
        } catch (SQLException thrown) {
            throw PostgreSqlErrors.ofClaim(thrown);
        }
        Map<IdempotencyKey, InsertResult> results = new HashMap<>();
        for (IdempotencyRecord record : records) {
            boolean isInserted = inserted.contains(record.token());
            results.put(record.key(), isInserted ? PostgreSqlDialect.CLAIMED : InsertResult.EXISTS);
        }
        return results;
    }

    private static byte @Nullable [] payload(IdempotencyRecord record) {
        return RecordRow.bytes(record.<Optional<Payload>>fold(Pending::plan, Succeeded::result, f -> Optional.empty()));
    }

    /** The tokens of the records that were inserted; an aggregate of none is null. */
    private static Set<Object> insertedTokens(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            if (!rows.next() || rows.getArray(1) == null) {
                return Set.of();
            }
            return new HashSet<>(Arrays.asList((Object[]) rows.getArray(1).getArray()));
        }
    }

    boolean succeedAll(Connection connection, List<LastStep.Success> successes, @Nullable TransactionName transaction)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(statements.succeedAll)) {
            statement.setString(1, transaction == null ? null : transaction.text());
            int at = bindKeys(
                    statement, 2, successes.stream().map(LastStep.Success::key).toList());
            bindTokens(statement, at, successes, LastStep.Success::token);
            bindBytes(statement, at + 1, successes, success -> RecordRow.bytes(Optional.of(success.result())));
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getLong(1) == successes.size();
            }
        } catch (SQLException thrown) {
            throw PostgreSqlErrors.reached(thrown);
        }
    }

    private static int bindKeys(PreparedStatement statement, int at, List<IdempotencyKey> keys) throws SQLException {
        bindTexts(statement, at, keys, IdempotencyKey::scope);
        bindTexts(statement, at + 1, keys, IdempotencyKey::operation);
        bindTexts(statement, at + 2, keys, IdempotencyKey::value);
        return at + 3;
    }

    /** Arrays of this class are sent as they are. Those of others are written as text, and parsed by the server. */
    private static <T> void bindTexts(
            PreparedStatement statement, int at, List<T> rows, Function<? super T, String> column) throws SQLException {
        bindArray(statement, at, "text", rows.stream().map(column).toArray(String[]::new));
    }

    private static <T> void bindTokens(
            PreparedStatement statement, int at, List<T> rows, Function<? super T, UUID> column) throws SQLException {
        bindArray(statement, at, "uuid", rows.stream().map(column).toArray());
    }

    /** The driver tells arrays of bytes by their class. */
    private static <T> void bindBytes(
            PreparedStatement statement, int at, List<T> rows, Function<? super T, byte @Nullable []> column)
            throws SQLException {
        bindArray(statement, at, "bytea", rows.stream().map(column).toArray(byte[][]::new));
    }

    private static void bindArray(PreparedStatement statement, int at, String type, Object[] values)
            throws SQLException {
        statement.setArray(at, statement.getConnection().createArrayOf(type, values));
    }
}
