package io.counterpoint.idempotency.consistency.check;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;
import static io.counterpoint.idempotency.jdbc.Isolation.SERIALIZABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.check.RepairReport.End;
import io.counterpoint.idempotency.consistency.check.RepairReport.Unrepaired;
import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import io.counterpoint.idempotency.testing.MariaDbServer;
import io.counterpoint.idempotency.testing.Race;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.statement.SqlLogger;
import org.jdbi.v3.core.statement.SqlStatements;
import org.jdbi.v3.core.statement.StatementContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("thorough")
@ParameterizedClass
@EnumSource
class RepairTest {

    @Parameter
    Kind kind;

    private TestDatabase database;
    private final List<Long> progress = new ArrayList<>();

    @BeforeEach
    void open() {
        database = TestDatabase.create(kind);
        OrphanApps.create(database, 25);
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void dryRunChangesNothingAndSaysWhatWouldBe() {
        RepairReport report = OrphanApps.repair().maxRows(10).build().dryRun(Transactions.on(database.store()));
        assertThat(report.end()).isEqualTo(End.DRY_RUN);
        assertThat(report.matched()).isEqualTo(25);
        assertThat(report.changed()).isZero();
        assertThat(report.after().offending()).isEqualTo(25);
        assertThat(database.count("app WHERE deleted_at IS NOT NULL")).isZero();
        assertThat(database.count("repair_audit")).isZero();
    }

    @Test
    void repairMendsWhatTheCheckFoundAndNothingElse() {
        RepairReport report = OrphanApps.repair()
                .batchSize(10)
                .progress(progress::add)
                .build()
                .run(Transactions.on(database.store()));
        assertThat(report.end()).isEqualTo(End.COMPLETE);
        assertThat(report.changed()).isEqualTo(25);
        assertThat(report.batches()).isEqualTo(3);
        assertThat(report.exitCode()).isZero();
        assertThat(progress).containsExactly(10L, 20L, 25L);
        OrphanApps.assertMended(database, 25);
        assertThat(report.table()).contains("COMPLETE").contains(report.run().toString());
        assertThat(report.json()).contains("\"changed\" : 25", "\"offending\" : 0");
        assertThat(OrphanApps.repair()
                        .build()
                        .run(Transactions.on(database.store()))
                        .changed())
                .isZero();
    }

    @Test
    void noTransactionChangesMoreThanABatchAndNoRunMoreThanItsCap() {
        Repair repair = OrphanApps.repair().batchSize(4).maxRows(10).build();
        RepairReport report = repair.run(Transactions.on(database.store()));
        assertThat(report.end()).isEqualTo(End.ROW_CAP);
        assertThat(report.changed()).isEqualTo(10);
        assertThat(report.batches()).isEqualTo(3);
        assertThat(report.exitCode()).isEqualTo(2);
        assertThat(report.after().offending()).isEqualTo(15);
        assertThat(database.count("app WHERE deleted_at IS NOT NULL")).isEqualTo(10);
        // One transaction has one time.
        assertThat(database.list("SELECT count(*) FROM repair_audit GROUP BY changed_at", Long.class))
                .allMatch(rows -> rows <= 4);
        assertThat(repair.run(Transactions.on(database.store())).changed()).isEqualTo(10);
        assertThat(repair.run(Transactions.on(database.store())).end()).isEqualTo(End.COMPLETE);
        OrphanApps.assertMended(database, 25);
    }

    @Test
    void auditHasEveryChangeWithItsValues() {
        RepairReport report = OrphanApps.repair().build().run(Transactions.on(database.store()));
        assertThat(database.count("repair_audit WHERE run = '" + report.run() + "' AND repair = 'orphan-apps'"
                        + " AND table_name = 'app'"))
                .isEqualTo(25);
        String row = "FROM repair_audit WHERE row_key = '1'";
        assertThat(database.one("SELECT values_before " + row, String.class))
                .isEqualTo("{\"workspace\":\"1001\",\"deleted_at\":null}");
        assertThat(database.one("SELECT values_after " + row, String.class))
                .startsWith("{\"workspace\":\"1001\",\"deleted_at\":\"20");
    }

    @Test
    void whatBelongsToAChangeCommitsWithItOrUndoesIt() {
        database.execute("CREATE TABLE notified (app integer NOT NULL)");
        RepairReport report = OrphanApps.repair()
                .batchSize(10)
                .onChanged((handle, app) -> {
                    handle.execute("INSERT INTO notified VALUES (?)", app);
                    if (app.equals(15)) {
                        throw new IllegalStateException("does not want to be notified");
                    }
                })
                .build()
                .run(Transactions.on(database.store()));
        assertThat(report.unrepaired())
                .containsExactly(new Unrepaired("15", "java.lang.IllegalStateException: does not want to be notified"));
        assertThat(database.count("repair_audit")).isEqualTo(24);
        assertThat(database.list("SELECT app FROM notified", Integer.class))
                .hasSize(24)
                .doesNotContain(15);
        assertThat(database.count("app WHERE deleted_at IS NULL AND id = 15")).isEqualTo(1);
    }

    @Test
    void rowThatAConstraintProtectsIsNamedAndTheOthersAreRepaired() {
        database.execute(
                "UPDATE app SET name = 'protected' WHERE id IN (7, 8, 25)",
                "ALTER TABLE app ADD CONSTRAINT kept CHECK (name <> 'protected' OR deleted_at IS NULL)");
        RepairReport report = OrphanApps.repair()
                .batchSize(10)
                .progress(progress::add)
                .build()
                .run(Transactions.on(database.store()));
        assertThat(report.end()).isEqualTo(End.COMPLETE);
        assertThat(report.matched()).isEqualTo(25);
        assertThat(report.changed()).isEqualTo(22);
        assertThat(report.unrepaired()).extracting(Unrepaired::row).containsExactly("7", "8", "25");
        assertThat(report.unrepaired()).allSatisfy(row -> assertThat(row.why()).containsIgnoringCase("kept"));
        assertThat(report.after().offending()).as("the check looked again").isEqualTo(3);
        assertThat(report.exitCode()).isEqualTo(2);
        assertThat(progress).startsWith(1L, 2L).endsWith(22L);
        assertThat(database.count("repair_audit WHERE row_key IN ('7', '8', '25')"))
                .isZero();
        assertThat(database.count("repair_audit")).isEqualTo(22);
        assertThat(database.count("app WHERE deleted_at IS NOT NULL")).isEqualTo(22);
        assertThat(report.table())
                .contains("not repaired")
                .containsIgnoringCase("kept")
                .hasLineCount(7);
        assertThat(report.json()).contains("\"row\" : \"25\"");
    }

    @Test
    void rowsThatCannotBeRepairedCountForTheCap() {
        database.execute("ALTER TABLE app ADD CONSTRAINT kept CHECK (deleted_at IS NULL)");
        RepairReport report =
                OrphanApps.repair().batchSize(4).maxRows(10).build().run(Transactions.on(database.store()));
        assertThat(report.end()).isEqualTo(End.ROW_CAP);
        assertThat(report.unrepaired()).hasSize(10);
        assertThat(report.changed()).isZero();
    }

    @Test
    void repairThatDiesInABatchIsCompletedByTheNext() {
        Repair dying = OrphanApps.repair()
                .batchSize(10)
                .progress(changed -> {
                    if (changed == 20) {
                        throw new IllegalStateException("died");
                    }
                })
                .build();
        assertThatThrownBy(() ->
                        assertThat(dying.run(Transactions.on(database.store()))).isNull())
                .hasMessage("died");
        assertThat(database.count("repair_audit")).isEqualTo(20);
        assertThat(OrphanApps.repair()
                        .build()
                        .run(Transactions.on(database.store()))
                        .changed())
                .isEqualTo(5);
        OrphanApps.assertMended(database, 25);
    }

    @Test
    void interruptedRepairEndsBetweenTwoBatches() {
        RepairReport report = OrphanApps.repair()
                .batchSize(10)
                .progress(changed -> Thread.currentThread().interrupt())
                .build()
                .run(Transactions.on(database.store()));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(report.end()).isEqualTo(End.INTERRUPTED);
        assertThat(report.changed()).isEqualTo(10);
        assertThat(report.after().offending()).isEqualTo(15);
    }

    @Test
    void repairsAtOnceChangeEveryRowOnce() {
        Repair repair = OrphanApps.repair().batchSize(3).build();
        List<Race.Result<RepairReport>> results = Race.of(
                4, number -> repair.run(Transactions.on(database.store()).withRetries(500)));
        assertThat(results).allMatch(Race.Result::succeeded);
        assertThat(results.stream()
                        .mapToLong(result -> result.orFail().changed())
                        .sum())
                .isEqualTo(25);
        OrphanApps.assertMended(database, 25);
    }

    /** Chosen by the repair, and mended by another caller before the repair comes to it. */
    @Test
    void rowThatWasMendedMeanwhileIsLeftAlone() {
        database.jdbi().getConfig(SqlStatements.class).setSqlLogger(new SqlLogger() {
            private boolean done;

            @Override
            public void logBeforeExecution(StatementContext context) {
                if (!done && context.getRenderedSql().startsWith("UPDATE app")) {
                    done = true;
                    database.execute("INSERT INTO workspace VALUES (1001)", "INSERT INTO workspace VALUES (1002)");
                }
            }
        });
        RepairReport report =
                OrphanApps.repair().isolation(READ_COMMITTED).build().run(Transactions.on(database.store()));
        assertThat(report.matched()).isEqualTo(25);
        assertThat(report.changed()).isEqualTo(23);
        assertThat(database.count("app WHERE id IN (1, 2) AND deleted_at IS NULL"))
                .isEqualTo(2);
        assertThat(database.count("repair_audit")).isEqualTo(23);
    }

    @Test
    void changeThatLeavesTheDamageEndsAllTheSame() {
        RepairReport report = Repair.builder(OrphanApps.CHECK)
                .table("app")
                .where(OrphanApps.DAMAGED)
                .set("name = 'no help'")
                .batchSize(10)
                .build()
                .run(Transactions.on(database.store()));
        assertThat(report.changed()).isEqualTo(25);
        assertThat(report.after().offending()).isEqualTo(25);
        assertThat(report.exitCode()).isEqualTo(2);
    }

    @Test
    void rowsThatTheKeyDoesNotTellApartAreLeftAndNamed() {
        RepairReport report = Repair.builder(OrphanApps.CHECK)
                .table("app")
                .key("name")
                .where(OrphanApps.DAMAGED)
                .delete()
                .recording("name")
                .build()
                .run(Transactions.on(database.store()));

        assertThat(report.changed()).isZero();
        assertThat(report.unrepaired())
                .isNotEmpty()
                .allSatisfy(row -> assertThat(row.why()).contains("damaged rows of app have this name"));
        assertThat(database.count("app")).isEqualTo(30);
        assertThat(database.count("repair_audit")).isZero();
    }

    /** MariaDB and MySQL show a timestamp in the zone of the session. */
    @Test
    void rowThatHasJustBegunIsNotOldInAnyZoneOfTheSession() {
        for (String zone : List.of("-05:00", "+05:45")) {
            // MySQL's driver decodes its URL, and MariaDB's does not.
            String plus = MariaDbServer.shared().isMySql() ? "%2B" : "+";
            String url = database.url() + "&sessionVariables=time_zone='" + zone.replace("+", plus) + "'";
            try (TestDatabase elsewhere = TestDatabase.at(kind == Kind.MARIADB ? url : database.url())) {
                elsewhere.execute(
                        "CREATE TABLE run (id int PRIMARY KEY, status varchar(9), since timestamp DEFAULT CURRENT_TIMESTAMP,"
                                + " ended timestamp NULL)",
                        "INSERT INTO run (id, status) VALUES (1, 'running')",
                        "INSERT INTO run (id, status, since) VALUES (2, 'running', CURRENT_TIMESTAMP - INTERVAL '2' HOUR)");
                Check zombies = Check.tooLongIn("run", "status", "running", "since", Duration.ofHours(1))
                        .build();
                Transactions transactions = Transactions.on(elsewhere.store());
                assertThat(zombies.run(transactions).offending()).as(zone).isEqualTo(1);

                RepairReport report = Repair.builder(zombies)
                        .set("status = 'failed', ended = {now}")
                        .recording("status")
                        .build()
                        .run(transactions);

                assertThat(report.changed()).isEqualTo(1);
                assertThat(elsewhere.list("SELECT status FROM run ORDER BY id", String.class))
                        .containsExactly("running", "failed");
                assertThat(elsewhere.count("run WHERE ended BETWEEN CURRENT_TIMESTAMP - INTERVAL '10' MINUTE"
                                + " AND CURRENT_TIMESTAMP + INTERVAL '10' MINUTE"))
                        .as(zone)
                        .isEqualTo(1);
                elsewhere.execute("DROP TABLE run");
            }
        }
    }

    @Test
    void rowsCanBeDeleted() {
        RepairReport report = Repair.builder(OrphanApps.CHECK)
                .table("app")
                .where(OrphanApps.DAMAGED)
                .delete()
                .recording("name")
                .build()
                .run(Transactions.on(database.store()));
        assertThat(report.exitCode()).isZero();
        assertThat(database.count("app")).isEqualTo(5);
        assertThat(database.count("repair_audit WHERE values_after IS NULL AND values_before LIKE '%orphan%'"))
                .isEqualTo(25);
    }

    @Test
    void quotaIsMendedWhileItIsCharged() {
        database.execute(
                "CREATE TABLE quota (id integer PRIMARY KEY, used integer NOT NULL)",
                "CREATE TABLE execution (quota integer NOT NULL)",
                "INSERT INTO quota VALUES (1, 7), (2, 5)",
                "INSERT INTO execution VALUES (1), (1), (1)");
        Check usage = Check.named("usage")
                .sql("SELECT id FROM quota q WHERE used <> (SELECT count(*) FROM execution e WHERE e.quota = q.id)")
                .build();
        Repair repair = Repair.builder(usage)
                .table("quota")
                .where("used <> (SELECT count(*) FROM execution e WHERE e.quota = quota.id)")
                .set("used = (SELECT count(*) FROM execution e WHERE e.quota = quota.id)")
                .recording("used")
                .build();
        List<Race.Result<Boolean>> results = Race.of(9, number -> {
            if (number == 0) {
                repair.run(Transactions.on(database.store()).withRetries(500));
                return true;
            }
            Transactions.on(database.store()).withRetries(500).useTransaction(SERIALIZABLE, handle -> {
                handle.execute("INSERT INTO execution VALUES (1)");
                handle.execute("UPDATE quota SET used = used + 1 WHERE id = 1");
            });
            return true;
        });
        assertThat(results).allMatch(Race.Result::succeeded);
        assertThat(usage.run(Transactions.on(database.store())).isClean()).isTrue();
        assertThat(database.list("SELECT used FROM quota ORDER BY id", Integer.class))
                .containsExactly(11, 0);
    }

    @Test
    void failingPredicateIsReportedAndNothingChanged() {
        Repair broken = Repair.builder(OrphanApps.CHECK)
                .table("app")
                .where("nonsense = 1")
                .delete()
                .build();
        assertThatThrownBy(() -> assertThat(broken.dryRun(Transactions.on(database.store())))
                        .isNull())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("orphan-apps");
        assertThat(database.count("app")).isEqualTo(30);
    }

    @Test
    void repairWithoutATargetIsRefused() {
        assertThatThrownBy(() ->
                        Repair.builder(OrphanApps.CHECK).table("app").delete().build())
                .hasMessageContaining("orphan-apps");
        assertThatThrownBy(() -> Repair.builder(OrphanApps.CHECK)
                        .table("app")
                        .where("1 = 1")
                        .build())
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OrphanApps.repair().delete().build()).isInstanceOf(IllegalArgumentException.class);
    }
}
