package io.counterpoint.idempotency.consistency.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.testing.TestDatabase;

/** Apps without a workspace, their check and their repair. */
public final class OrphanApps {

    static final String DAMAGED =
            "deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM workspace w WHERE w.id = app.workspace)";

    static final Check CHECK = Check.named("orphan-apps")
            .sql("SELECT a.id, a.name FROM app a LEFT JOIN workspace w ON w.id = a.workspace"
                    + " WHERE w.id IS NULL AND a.deleted_at IS NULL ORDER BY a.id")
            .build();

    private OrphanApps() {}

    public static Repair.Builder repair() {
        return Repair.builder(CHECK)
                .table("app")
                .where(DAMAGED)
                .set("deleted_at = CURRENT_TIMESTAMP")
                .recording("workspace", "deleted_at");
    }

    /** Orphans from 1 on, and five apps that are well. */
    public static void create(TestDatabase database, int orphans) {
        database.execute(
                "CREATE TABLE workspace (id integer PRIMARY KEY)",
                "CREATE TABLE app (id integer PRIMARY KEY, name varchar(100), workspace integer,"
                        + " deleted_at timestamp(6) with time zone)",
                "INSERT INTO workspace VALUES (1)");
        for (int i = 1; i <= orphans; i++) {
            database.execute("INSERT INTO app VALUES (%d, 'orphan', %d, NULL)".formatted(i, 1000 + i));
        }
        for (int i = 1; i <= 5; i++) {
            database.execute("INSERT INTO app VALUES (%d, 'well', 1, NULL)".formatted(100_000 + i));
        }
        database.jdbi().useHandle(repair().build()::createAuditIfMissing);
    }

    /** Each orphan was deleted once, and each deletion has its audit row. */
    public static void assertMended(TestDatabase database, int orphans) {
        assertThat(database.count("app WHERE name = 'orphan' AND deleted_at IS NOT NULL"))
                .isEqualTo(orphans);
        assertThat(database.count("app WHERE name = 'well' AND deleted_at IS NULL"))
                .isEqualTo(5);
        assertThat(database.list("SELECT row_key FROM repair_audit", String.class))
                .hasSize(orphans)
                .doesNotHaveDuplicates();
        assertThat(CHECK.run(Transactions.on(database.store())).isClean()).isTrue();
    }
}
