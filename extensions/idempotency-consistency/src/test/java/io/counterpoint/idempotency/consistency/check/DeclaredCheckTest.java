package io.counterpoint.idempotency.consistency.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Checks of one call, with the repairs of the same predicate: the document's three, on every database. */
@ParameterizedClass
@EnumSource
class DeclaredCheckTest {

    private static final Check ORPHANS = Check.orphans("app", "workspace_id", "workspace")
            .where("deleted_at IS NULL")
            .showing("name")
            .build();
    private static final Check QUOTAS =
            Check.counts("workspace", "quota_used", """
            SELECT count(*) FROM execution e WHERE e.workspace_id = workspace.id AND e.created_at >= {month}
            """).build();
    private static final Check ZOMBIES = Check.tooLongIn(
                    "execution", "status", "running", "started_at", Duration.ofHours(1))
            .build();

    @Parameter
    Kind kind;

    private TestDatabase database;

    @BeforeEach
    void open() {
        database = TestDatabase.create(kind);
        database.execute(
                "CREATE TABLE workspace (id integer PRIMARY KEY, quota_used integer)",
                "CREATE TABLE app (id integer PRIMARY KEY, name varchar(100), workspace_id integer,"
                        + " deleted_at timestamp(6) with time zone)",
                "CREATE TABLE execution (id integer PRIMARY KEY, workspace_id integer, status varchar(20),"
                        + " error_message varchar(100), created_at timestamp(6) with time zone,"
                        + " started_at timestamp(6) with time zone, completed_at timestamp(6) with time zone)",
                "INSERT INTO workspace VALUES (1, 0), (2, 0), (3, 0), (4, NULL)",
                "INSERT INTO app (id, name, workspace_id) VALUES (1, 'well', 1), (2, 'no reference', NULL),"
                        + " (3, 'orphan', 99), (4, 'other orphan', 98)");
        database.jdbi()
                .useHandle(Repair.builder(ORPHANS).set("deleted_at = {now}").build()::createAuditIfMissing);
    }

    @AfterEach
    void close() {
        database.close();
    }

    private CheckResult run(Check check) {
        return check.run(Transactions.on(database.store()));
    }

    private RepairReport run(Repair.Builder repair) {
        Repair built = repair.build();
        assertThat(built.dryRun(Transactions.on(database.store())).matched())
                .isEqualTo(run(built.check()).offending());
        RepairReport report = built.run(Transactions.on(database.store()));
        assertThat(report.after().isClean()).as(report.json()).isTrue();
        return report;
    }

    /** An execution that was created and begun so many minutes after a time. */
    private void execution(int id, int workspace, String status, String time) {
        database.jdbi()
                .useTransaction(handle -> handle.execute(database.filled("""
                INSERT INTO execution (id, workspace_id, status, created_at, started_at) VALUES (?, ?, ?, %1$s, %1$s)
                """.formatted(time)), id, workspace, status));
    }

    @Test
    void orphansAreShownWithIdReferenceAndNameAndDeletedSoftly() {
        assertThat(ORPHANS.name()).isEqualTo("app.workspace_id");
        assertThat(run(ORPHANS).sample())
                .containsExactly(
                        Map.of("id", "3", "workspace_id", "99", "name", "orphan"),
                        Map.of("id", "4", "workspace_id", "98", "name", "other orphan"));
        assertThat(run(Repair.builder(ORPHANS).set("deleted_at = {now}")).changed())
                .isEqualTo(2);
        assertThat(database.countOfTheLastMinute("app", "deleted_at")).isEqualTo(2);
        assertThat(database.list("SELECT values_before FROM repair_audit ORDER BY row_key", String.class))
                .first()
                .isEqualTo("{\"workspace_id\":\"99\",\"name\":\"orphan\"}");
    }

    @Test
    void orphansCanBeDeletedOrLoseTheirReference() {
        assertThat(run(Repair.builder(Check.orphans("app", "workspace_id", "workspace")
                                        .where("id = 3")
                                        .build())
                                .delete())
                        .changed())
                .isEqualTo(1);
        assertThat(run(Repair.builder(ORPHANS).set("workspace_id = NULL")).changed())
                .isEqualTo(1);
        assertThat(database.list("SELECT name FROM app WHERE workspace_id IS NULL ORDER BY id", String.class))
                .containsExactly("no reference", "other orphan");
    }

    @Test
    void referenceToAnotherColumnThanIdIsFollowed() {
        Check check = Check.orphans("execution", "workspace_id", "app", "workspace_id")
                .build();
        execution(1, 99, "running", "{now}");
        execution(2, 4, "running", "{now}");
        assertThat(run(check).sample()).containsExactly(Map.of("id", "2", "workspace_id", "4"));
    }

    /** A query with an inner join finds neither the second nor the fourth: nothing refers to them. */
    @Test
    void numberIsComparedWithTheRowsOfThisMonthAndWithZeroWhereThereAreNone() {
        execution(1, 1, "done", "{month}");
        execution(2, 1, "done", "{now}");
        execution(3, 1, "done", "{month} - INTERVAL '1' SECOND");
        execution(4, 3, "done", "{month} - INTERVAL '1' SECOND");
        database.execute("UPDATE workspace SET quota_used = 7 WHERE id = 2");
        assertThat(run(QUOTAS).sample())
                .containsExactly(
                        Map.of("id", "1", "counted", "2"),
                        Map.of("id", "2", "counted", "0"),
                        Map.of("id", "4", "counted", "0"));
        assertThat(run(Repair.builder(QUOTAS).set("quota_used = {counted}")).changed())
                .isEqualTo(3);
        assertThat(database.list("SELECT quota_used FROM workspace ORDER BY id", Integer.class))
                .containsExactly(2, 0, 0, 0);
    }

    @Test
    void sumOfNoRowsIsZero() {
        database.execute("UPDATE workspace SET quota_used = 0", "UPDATE workspace SET quota_used = 7 WHERE id = 3");
        Check sums = Check.counts(
                        "workspace",
                        "quota_used",
                        "SELECT sum(e.id) FROM execution e WHERE e.workspace_id = workspace.id")
                .build();
        execution(5, 2, "done", "{now}");
        assertThat(run(sums).sample())
                .containsExactly(Map.of("id", "2", "counted", "5"), Map.of("id", "3", "counted", "0"));
    }

    @Test
    void rowsAnHourInAStateAreFoundAndEndedWithMessageAndTime() {
        execution(1, 1, "running", "{now} - INTERVAL '59' MINUTE");
        execution(2, 1, "running", "{now} - INTERVAL '61' MINUTE");
        execution(3, 1, "done", "{now} - INTERVAL '61' MINUTE");
        assertThat(run(ZOMBIES).sample())
                .singleElement()
                .satisfies(row -> assertThat(row).containsEntry("id", "2").containsKeys("status", "started_at"));
        assertThat(run(Repair.builder(ZOMBIES)
                                .set("status = 'failed', error_message = 'System timeout', completed_at = {now}"))
                        .changed())
                .isEqualTo(1);
        assertThat(database.count("execution WHERE id = 2 AND status = 'failed' AND error_message = 'System timeout'"))
                .isEqualTo(1);
        assertThat(database.countOfTheLastMinute("execution", "completed_at")).isEqualTo(1);
        assertThat(database.count("execution WHERE completed_at IS NULL")).isEqualTo(2);
    }

    @Test
    void partsCountTogetherAndOneThatFailsIsNamed() {
        execution(1, 1, "running", "{now} - INTERVAL '61' MINUTE");
        Check both = Check.named("both").sampleLimit(2).parts(ORPHANS, ZOMBIES).build();
        assertThat(both.parts()).containsExactly(ORPHANS, ZOMBIES);
        assertThat(both.timeout()).isEqualTo(Duration.ofMinutes(2));
        CheckResult result = run(both);
        assertThat(result.offending()).isEqualTo(3);
        assertThat(result.sample())
                .hasSize(2)
                .contains(Map.of("part", "app.workspace_id", "row", "id=3, workspace_id=99, name=orphan"));
        CheckResult broken = run(Check.named("broken")
                .parts(ORPHANS, Check.named("part").sql("SELECT * FROM nowhere").build())
                .build());
        assertThat(broken.exitCode()).isEqualTo(3);
        assertThat(broken.error().orElseThrow()).startsWith("part: ");
    }

    @Test
    void whatIsNoNameOrNoStateIsRefused() {
        for (String wrong : List.of("a; b", "", "a b")) {
            assertThatThrownBy(() -> Check.orphans(wrong, "b", "c")).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> Check.orphans("a", wrong, "c")).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> Check.orphans("a", "b", wrong)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> Check.tooLongIn("a", "b", "it's", "c", Duration.ofHours(1)))
                .hasMessageContaining("it's");
        assertThatThrownBy(() -> Check.named("plain").sql("SELECT 1").showing("name"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("plain");
    }
}
