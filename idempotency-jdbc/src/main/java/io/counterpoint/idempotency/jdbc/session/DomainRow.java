package io.counterpoint.idempotency.jdbc.session;

import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.jdbc.spi.TableFacts.Kind;
import io.counterpoint.idempotency.spi.DomainTable;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A row of the domain that is the record of a call, and where such rows are.
 *
 * @param table their table
 * @param key the column of the key
 * @param request the column of the request's fingerprint, if there is one
 * @param columns the other columns of the row, with their values
 */
public record DomainRow(
        RecordTable table, Column key, Optional<Column> request, Map<String, ? extends @Nullable Object> columns) {

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,62}");

    public DomainRow {
        for (String column : columns.keySet()) {
            requireName(column);
            if (key.is(column) || request.filter(other -> other.is(column)).isPresent()) {
                throw new IllegalArgumentException(
                        "The library fills the column " + column + " of " + table + ": leave it out of the row.");
            }
        }
    }

    private static void requireName(String column) {
        if (!NAME.matcher(column).matches()) {
            throw new IllegalArgumentException(
                    "A column is named by a letter or underscore and up to 62 more letters, digits"
                            + " or underscores, found " + column.length() + " other characters.");
        }
    }

    /**
     * A column that the library fills.
     *
     * @param name its name
     * @param kind text, bytes, or a UUID
     */
    public record Column(String name, Kind kind) {

        public Column {
            requireName(name);
        }

        boolean is(String other) {
            return name.equalsIgnoreCase(other);
        }

        private Object value(IdempotencyKey of) {
            return switch (kind) {
                case BYTES -> of.id();
                case UUID -> of.uuid();
                default -> of.hash();
            };
        }

        private Object value(Fingerprint of) {
            return kind == Kind.BYTES ? of.toBytes() : HexFormat.of().formatHex(of.toBytes());
        }

        private @Nullable Fingerprint fingerprint(ResultSet row) throws SQLException {
            byte[] bytes = kind == Kind.BYTES ? row.getBytes(1) : bytes(row.getString(1));
            return bytes == null ? null : Fingerprint.fromBytes(bytes);
        }

        private static byte @Nullable [] bytes(@Nullable String digits) {
            return digits == null ? null : HexFormat.of().parseHex(digits);
        }
    }

    public DomainRow with(Map<String, ? extends @Nullable Object> others) {
        return new DomainRow(table, key, request, others);
    }

    String insert() {
        List<String> names = new ArrayList<>();
        names.add(key.name());
        request.ifPresent(column -> names.add(column.name()));
        names.addAll(columns.keySet());
        return "INSERT INTO " + table + " (" + String.join(", ", names) + ") VALUES (?" + ", ?".repeat(names.size() - 1)
                + ")";
    }

    List<@Nullable Object> values(IdempotencyRecord record) {
        List<@Nullable Object> values = new ArrayList<>();
        values.add(key.value(record.key()));
        request.ifPresent(column -> values.add(column.value(record.fingerprint())));
        values.addAll(columns.values());
        return values;
    }

    /** Asks for the row of a key, and its fingerprint. */
    String select() {
        return "SELECT " + request.map(Column::name).orElse("1") + " FROM " + table + " WHERE " + key.name() + " = ?";
    }

    Object value(IdempotencyKey of) {
        return key.value(of);
    }

    /** The record that a row stands for. A row without a fingerprint is one of a call without a request. */
    Optional<IdempotencyRecord> record(IdempotencyKey of, ResultSet rows) throws SQLException {
        if (!rows.next()) {
            return Optional.empty();
        }
        Fingerprint found = request.isPresent() ? request.get().fingerprint(rows) : null;
        return Optional.of(DomainTable.recordOf(of, found == null ? Fingerprint.ofParts() : found));
    }
}
