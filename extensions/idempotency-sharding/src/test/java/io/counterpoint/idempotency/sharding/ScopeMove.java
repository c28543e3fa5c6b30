package io.counterpoint.idempotency.sharding;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** The steps of a move in the databases, between two databases of PostgreSQL. The page on sharding explains each. */
final class ScopeMove {

    private static final List<String> TABLES = List.of("idempotency_record", "payment");

    private final String scope;
    private final Jdbi from;
    private final Jdbi to;

    ScopeMove(String scope, Jdbi from, Jdbi to) {
        this.scope = scope;
        this.from = from;
        this.to = to;
    }

    /** From now on the old shard refuses what a late node writes. Waits for transactions that have written. */
    void constrain() {
        from.useTransaction(handle -> TABLES.forEach(table -> handle.execute("ALTER TABLE " + table
                + " ADD CONSTRAINT " + table + "_without_" + scope.replace(':', '_') + " CHECK (scope <> '" + scope
                + "') NOT VALID")));
    }

    /** Records of calls that still run, or whose leader has died. */
    int pending() {
        return from.withHandle(handle -> handle.createQuery(
                        "SELECT count(*) FROM idempotency_record WHERE scope = :scope AND state = 'P'")
                .bind("scope", scope)
                .mapTo(Integer.class)
                .one());
    }

    /** Copies in one transaction, and compares. */
    void copy() {
        to.useTransaction(handle -> TABLES.forEach(table -> copy(handle, table)));
        Map<String, List<String>> old = from.withHandle(this::contents);
        if (!old.equals(to.withHandle(this::contents))) {
            throw new AssertionError("The copy of " + scope + " differs.");
        }
    }

    private void copy(Handle target, String table) {
        List<String> rows = from.withHandle(handle -> rows(handle, table));
        for (String row : rows) {
            target.execute(
                    "INSERT INTO " + table + " SELECT * FROM json_populate_record(NULL::" + table + ", ?::json)", row);
        }
    }

    private Map<String, List<String>> contents(Handle handle) {
        Map<String, List<String>> contents = new TreeMap<>();
        TABLES.forEach(table -> contents.put(table, rows(handle, table)));
        return contents;
    }

    private List<String> rows(Handle handle, String table) {
        return handle.createQuery("SELECT to_json(row)::text FROM " + table + " AS row WHERE scope = :scope ORDER BY 1")
                .bind("scope", scope)
                .mapTo(String.class)
                .list();
    }

    /** Keeps the old rows under another name. */
    void rename() {
        from.useTransaction(handle -> TABLES.forEach(
                table -> handle.execute("UPDATE " + table + " SET scope = 'moved:' || scope WHERE scope = ?", scope)));
    }
}
