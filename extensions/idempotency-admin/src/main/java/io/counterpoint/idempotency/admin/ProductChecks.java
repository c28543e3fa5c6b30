package io.counterpoint.idempotency.admin;

import static io.counterpoint.idempotency.admin.Diagnosis.CHANGING_INDEX;
import static io.counterpoint.idempotency.admin.Diagnosis.PURGE_INDEX_MISSING;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The checks that use the SQL of one database. */
interface ProductChecks {

    /** The columns that marks change. */
    Set<String> CHANGING = Set.of("state", "updated_at", "token", "payload");

    void ofServer(Connection connection, List<Finding> findings) throws SQLException;

    void ofTable(Connection connection, List<Finding> findings) throws SQLException;

    static ProductChecks of(AdministeredDatabase database) {
        return switch (database.product()) {
            case POSTGRESQL -> new PostgreSqlChecks(database.table());
            case H2 -> new H2Checks(database.table());
            case MARIADB -> new MariaDbChecks(database.table());
        };
    }

    /** One column of an index. */
    record IndexColumn(String index, String column, boolean first) {}

    /** Checks all columns of all indexes except the primary key. */
    static void addIndexes(List<IndexColumn> columns, List<Finding> findings) {
        if (columns.stream().noneMatch(it -> it.first() && it.column().equals("expires_at"))) {
            findings.add(new Finding(
                    PURGE_INDEX_MISSING,
                    "the indexes begin with "
                            + columns.stream()
                                    .filter(IndexColumn::first)
                                    .map(IndexColumn::column)
                                    .sorted()
                                    .toList()));
        }
        Map<String, List<String>> changing = columns.stream()
                .filter(it -> CHANGING.contains(it.column()))
                .collect(Collectors.groupingBy(
                        IndexColumn::index, Collectors.mapping(IndexColumn::column, Collectors.toList())));
        changing.forEach((index, found) ->
                findings.add(new Finding(CHANGING_INDEX, "the index " + index + " contains " + found)));
    }
}
