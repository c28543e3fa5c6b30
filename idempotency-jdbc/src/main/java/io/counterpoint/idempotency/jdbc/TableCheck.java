package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.internal.Symptom;
import io.counterpoint.idempotency.jdbc.session.Sql;
import io.counterpoint.idempotency.jdbc.session.StoreFailures;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.TableFacts;
import io.counterpoint.idempotency.jdbc.spi.TableFacts.Column;
import io.counterpoint.idempotency.jdbc.spi.TableFacts.Kind;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Rejects a table with which the promises cannot be kept. Contains the checks common to all databases; the rest are in
 * their catalogues.
 */
final class TableCheck {

    private static final List<String> KEY = List.of("key_value", "scope", "operation");

    /** The primary key in early versions of the files. */
    private static final List<String> SLOWER_KEY = List.of("scope", "operation", "key_value");

    /** The largest result that an operation can be configured to store. */
    private static final long PAYLOAD = 16 << 20;

    private static final List<Expected> EXPECTED = List.of(
            new Expected("scope", Kind.TEXT, IdempotencyKey.MAX_LENGTH, false),
            new Expected("operation", Kind.TEXT, IdempotencyKey.MAX_LENGTH, false),
            new Expected("key_value", Kind.TEXT, IdempotencyKey.MAX_LENGTH, false),
            new Expected("protocol", Kind.TEXT, 1, false),
            new Expected("state", Kind.TEXT, 1, false),
            new Expected("token", Kind.UUID, 0, false),
            new Expected("fingerprint", Kind.BYTES, 32, false),
            new Expected("payload", Kind.BYTES, PAYLOAD, true),
            new Expected("failure_code", Kind.TEXT, Failure.MAX_CODE_LENGTH, true),
            new Expected("failure_message", Kind.TEXT, Failure.MAX_MESSAGE_LENGTH, true),
            new Expected("created_at", Kind.TIME, 0, false),
            new Expected("updated_at", Kind.TIME, 0, false),
            new Expected("expires_at", Kind.TIME, 0, false));

    private TableCheck() {}

    /** The required properties of a column. */
    private record Expected(String name, Kind kind, long size, boolean nullable) {}

    static TableInspection inspect(Connection connection, Dialect dialect) {
        return asked(connection, dialect, () -> {
            Optional<String> foreigner = ConnectionCheck.foreigner(connection);
            if (foreigner.isPresent()) {
                return TableInspection.unfit(foreigner.get());
            }
            List<String> faults = new ArrayList<>(ConnectionCheck.faults(connection));
            return dialect.facts(connection)
                    .map(facts -> new TableInspection(layout(facts), faults(facts, faults)))
                    .orElse(TableInspection.unfit("the table does not exist"));
        });
    }

    private static <T> T asked(Connection connection, Dialect dialect, Sql.Step<T> question) {
        return StoreFailures.unlessRefused("Could not check table " + dialect.table(), dialect, connection, question);
    }

    static void check(Connection connection, Dialect dialect, boolean boundedBySession) {
        TableInspection found = inspect(connection, dialect);
        List<String> faults = found.faults().isEmpty()
                ? asked(connection, dialect, () -> StoredProbe.faults(connection, dialect, boundedBySession))
                : found.faults();
        if (!faults.isEmpty()) {
            throw new MisuseException(Symptom.TABLE_REFUSED.of("Table " + dialect.table() + " cannot store"
                    + " idempotency records: "
                    + String.join("; ", faults) + ". To create a new table, run " + dialect.schemaFile() + ", a file"
                    + " of this module, or call createTableIfMissing()."));
        }
    }

    private static int layout(TableFacts found) {
        if (found.primaryKey().equals(KEY)) {
            return TableInspection.CURRENT;
        }
        return found.primaryKey().equals(SLOWER_KEY) ? TableInspection.EARLIER : TableInspection.UNKNOWN;
    }

    private static List<String> faults(TableFacts found, List<String> faults) {
        faults.addAll(found.faults());
        Set<String> missing = new LinkedHashSet<>();
        for (Expected expected : EXPECTED) {
            Optional.ofNullable(found.columns().get(expected.name()))
                    .ifPresentOrElse(column -> check(expected, column, faults), () -> missing.add(expected.name()));
        }
        if (!missing.isEmpty()) {
            faults.add("the columns " + missing + " are missing, found "
                    + found.columns().keySet() + ": add them as defined in the file");
        }
        if (!found.primaryKey().equals(KEY) && !found.primaryKey().equals(SLOWER_KEY)) {
            faults.add("its primary key must be " + KEY + ", in this order, or " + SLOWER_KEY + ", found "
                    + found.primaryKey() + ": otherwise a key could be claimed twice");
        }
        for (Map.Entry<String, Column> other : found.columns().entrySet()) {
            if (EXPECTED.stream().noneMatch(expected -> expected.name().equals(other.getKey()))
                    && !other.getValue().filled()) {
                faults.add("the column " + other.getKey() + " does not belong to this library, and no record can be"
                        + " inserted without a value for it: give it a default, or DROP NOT NULL");
            }
        }
        return faults;
    }

    private static void check(Expected expected, Column found, List<String> faults) {
        String name = expected.name();
        if (found.kind() != expected.kind()) {
            faults.add("the column " + name + " is of type " + found.type() + ": change it to "
                    + expected.kind().expected()
                    + (expected.kind() == Kind.TEXT ? "(" + expected.size() + ")" : ""));
        } else if (found.size() < expected.size()) {
            faults.add("the column " + name + " is of type " + found.type() + " and holds " + found.size() + ": it"
                    + " must hold " + expected.size());
        }
        if (KEY.contains(name) && !found.exact()) {
            faults.add("the column [" + name + "] of type " + found.type() + " treats different texts as equal, so"
                    + " one key could return another key's result: change it to varchar(" + expected.size() + ") with"
                    + " an exact collation, such as COLLATE \"C\" on PostgreSQL and none on H2");
        }
        if (expected.nullable() && !found.nullable()) {
            faults.add("the column " + name + " is NOT NULL, but most records have no value for it: DROP NOT NULL");
        }
    }
}
