package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.consistency.check.Check;
import io.counterpoint.idempotency.consistency.check.CheckReport;
import io.counterpoint.idempotency.consistency.check.CheckResult;
import io.counterpoint.idempotency.consistency.check.RepairReport;
import io.counterpoint.idempotency.consistency.comparison.ComparisonReport;
import io.counterpoint.idempotency.consistency.comparison.ComparisonReview.Decision;
import io.counterpoint.idempotency.examples.appplatform.execution.Worker;
import io.counterpoint.idempotency.examples.appplatform.execution.WorkerStep;
import io.counterpoint.idempotency.examples.appplatform.http.Client.Request;
import io.counterpoint.idempotency.jdbc.Isolation;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("thorough")
class ChecksTest {

    private static final Instant MONDAY = Instant.parse("2026-01-05T00:00:00Z");
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void everyCheckFindsWhatWasPlantedAndItsRepairRemovesIt() throws Exception {
        try (TestPlatform test = TestPlatform.damaged()) {
            CheckReport before = test.platform.check();
            assertThat(ChecksChapter.found(before)).hasToString(GeneratedData.PLANTED);
            assertThat(before.results().get(0).sample().get(0))
                    .as("an orphan is shown with its id and its name")
                    .containsKey("id")
                    .hasEntrySatisfying("name", name -> assertThat(name).startsWith("orphan "));
            for (PlatformChecks.Row row : test.platform.checks.rows()) {
                String path = "/repairs/" + row.check().name();
                assertThat(post(test, path + "?dryRun=true").findValuesAsText("changed"))
                        .allMatch("0"::equals);
                assertThat(post(test, path).findValuesAsText("end"))
                        .hasSameSizeAs(row.repairs())
                        .allMatch("COMPLETE"::equals);
            }
            JsonNode after = test.client.get(test.url() + "/checks", 1, TestPlatform.OPERATOR_HEADER);
            assertThat(after.path("checks").findValuesAsText("offending")).containsOnly("0");
            assertThat(after.path("exitCode").asInt()).isZero();
            assertThat(test.count("repair_audit"))
                    .isEqualTo(before.results().stream()
                            .mapToLong(CheckResult::offending)
                            .sum());
            assertThat(test.count("app a WHERE deleted_at IS NOT NULL AND name LIKE 'orphan%'"
                            + " AND NOT EXISTS (SELECT 1 FROM workspace w WHERE w.id = a.workspace_id)"))
                    .as("orphans are deleted softly: their rows stay")
                    .isEqualTo(GeneratedData.ORPHANS);
            String failed =
                    "execution WHERE status = 'failed' AND completed_at > CURRENT_TIMESTAMP - INTERVAL '2' MINUTE";
            assertThat(test.count(failed + " AND error_message = 'System timeout'"))
                    .isEqualTo(GeneratedData.ZOMBIES);
            assertThat(test.count(failed + " AND error_message = 'No worker has it.'"))
                    .isEqualTo(GeneratedData.LOST);
            TestPlatform.await(test.platform::isQuiet);
            assertThat(test.count("search_entry WHERE workspace_id = 9001 AND NOT gone"))
                    .isZero();
            assertThat(test.client
                            .send(
                                    test.url(),
                                    new Request("/repairs/nothing", 1, TestPlatform.OPERATOR_HEADER, Map.of()))
                            .status())
                    .isEqualTo(404);
        }
    }

    /** Columns that may contain the id of a missing row in another table, with the reason. */
    private static final Map<String, String> NO_REFERENCES = Map.of(
            "app.publisher", "the token of one publication",
            "app.provisioner", "the token of one provisioning",
            "execution.worker", "rows of dead workers are deleted after a day",
            "execution_result.worker", "rows of dead workers are deleted after a day",
            "search_entry.workspace_id", "that of the app, which is compared",
            "workspace_of_user.user_id", "no table has the users",
            "charge.transaction_id", "the client's");

    /** If a table gets a new reference, this fails until a check covers it. */
    @Test
    void everyReferenceOfTheSchemaIsFoundWhereItLeadsNowhere() throws Exception {
        try (TestPlatform test = TestPlatform.stopped()) {
            test.execute("INSERT INTO execution_result (id, execution_id, worker) SELECT id, id, worker FROM execution"
                    + " WHERE status = 'succeeded' FETCH FIRST 1 ROW ONLY");
            Map<String, Check> checks = new HashMap<>();
            for (String name : List.of("orphan-apps", "references")) {
                PlatformChecks.Row row = test.platform.checks.named(name).orElseThrow();
                row.repairs()
                        .forEach(repair -> assertThat(
                                        repair.run(test.platform.transactions).exitCode())
                                .isZero());
                row.check().parts().forEach(part -> checks.put(part.name(), part));
                checks.putIfAbsent("app.workspace_id", row.check());
            }
            Set<String> references = new TreeSet<>(references(test));
            assertThat(references).containsAll(checks.keySet()).containsAll(NO_REFERENCES.keySet());
            references.removeAll(NO_REFERENCES.keySet());
            for (String reference : references) {
                assertThat(checks).as("a check of this reference").containsKey(reference);
                assertFindsABadOne(test, reference, checks.get(reference));
            }
        }
    }

    /** The identifier columns in the tables of the example's own schema. */
    private static List<String> references(TestPlatform test) throws IOException {
        try (InputStream in = Objects.requireNonNull(Platform.class.getResourceAsStream("schema.sql"))) {
            String tables = Pattern.compile("CREATE TABLE IF NOT EXISTS (\\w+)")
                    .matcher(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                    .results()
                    .map(table -> "'" + table.group(1) + "'")
                    .collect(Collectors.joining(", "));
            return test.some(
                    "SELECT lower(table_name) || '.' || lower(column_name) FROM information_schema.columns"
                            + " WHERE lower(table_schema) = 'public' AND lower(table_name) IN (" + tables
                            + ") AND lower(column_name) <> 'id'"
                            + " AND (lower(data_type) = 'uuid' OR lower(column_name) LIKE '%\\_id' ESCAPE '\\')",
                    100);
        }
    }

    private static void assertFindsABadOne(TestPlatform test, String reference, Check check) {
        String table = reference.substring(0, reference.indexOf('.'));
        String column = reference.substring(reference.indexOf('.') + 1);
        boolean number = List.of("workspace_id", "user_id").contains(column);
        test.database.jdbi().useTransaction(handle -> {
            long before = check.run(handle).offending();
            Object first = handle.createQuery(
                            "SELECT %2$s FROM %1$s WHERE %2$s IS NOT NULL ORDER BY 1 FETCH FIRST 1 ROW ONLY"
                                    .formatted(table, column))
                    .mapTo(number ? Long.class : UUID.class)
                    .one();
            int changed = handle.execute(
                    "UPDATE %1$s SET %2$s = ? WHERE %2$s = ?".formatted(table, column),
                    number ? (Object) 424_242L : UUID.randomUUID(),
                    first);
            assertThat(changed).as(reference).isPositive();
            assertThat(check.run(handle).offending()).as(reference).isEqualTo(before + changed);
            handle.rollback();
        });
    }

    /** Damage that no request to the service causes, but people and other programs do. */
    @Test
    void damageThatCameFromElsewhereIsFoundAndMendedWhereThatIsSafe() throws Exception {
        try (TestPlatform test = TestPlatform.damaged()) {
            List<String> published = test.some("SELECT id FROM app WHERE status = 'published' ORDER BY name", 3);
            test.execute("INSERT INTO app_policy (id, app_id, access) SELECT '" + UUID.randomUUID()
                    + "', id, access FROM (SELECT app_id AS id, access FROM app_policy WHERE app_id = '"
                    + published.get(0) + "') one");
            test.execute("UPDATE app SET database_status = 'ready' WHERE id = '" + published.get(1) + "'");
            test.execute("DELETE FROM search_entry WHERE app_id = '" + published.get(2) + "'");
            test.execute("UPDATE search_entry SET name = 'once' WHERE app_id = '" + published.get(1) + "'");
            test.execute("UPDATE usage_window SET executions = 9999 WHERE workspace_id = 7");
            test.execute("DELETE FROM usage_window WHERE workspace_id = 8");
            test.execute("UPDATE execution SET completed_at = NULL WHERE workspace_id = 9 AND status = 'succeeded'");
            long endless = test.count("execution WHERE workspace_id = 9 AND status = 'succeeded'");
            test.execute("UPDATE app SET status = 'exploded' WHERE id = '" + published.get(2) + "'");
            test.execute("INSERT INTO charge (id, workspace_id, transaction_id, amount, charged_at)" + " VALUES ('"
                    + UUID.randomUUID() + "', 424242, 'x', 1, CURRENT_TIMESTAMP)");
            test.execute(
                    "INSERT INTO execution (id, workspace_id, app_id, status, triggered_at, completed_at) VALUES ('"
                            + UUID.randomUUID() + "', 424242, '" + published.get(0)
                            + "', 'succeeded', CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)");

            // Counts the execution for a workspace that is missing as well.
            test.platform.usage.aggregate();
            assertThat(found(test))
                    .containsEntry("references", GeneratedData.REFERENCES + 3L)
                    .containsEntry("states", 1 + endless)
                    .containsEntry("doubled-policies", 1L)
                    .containsEntry("ready-without-schema", 1L)
                    .containsEntry("search-index", 2L)
                    .containsEntry("usage-statistics", 2L + GeneratedData.WRONG_USAGE);
            for (PlatformChecks.Row row : test.platform.checks.rows()) {
                JsonNode unused = post(test, "/repairs/" + row.check().name());
            }
            TestPlatform.await(test.platform::isQuiet);
            // A missing workspace and an unknown state are left to an operator.
            assertThat(found(test)).isEqualTo(Map.of("references", 3L, "states", 1L));
            assertThat(test.count("search_entry WHERE app_id = '" + published.get(2) + "'"))
                    .isOne();
            assertThat(test.one("SELECT database_status FROM app WHERE id = '" + published.get(1) + "'"))
                    .isEqualTo("none");
        }
    }

    /** A part that is merely late is not wrong: the check does not find it, and the repair changes nothing. */
    @Test
    void partThatStillWaitsForAnEventIsNotFound() throws Exception {
        try (TestPlatform test = TestPlatform.stopped()) {
            String app = test.some("SELECT id FROM app WHERE status = 'published' ORDER BY name", 1)
                    .get(0);
            test.execute("UPDATE app SET name = 'renamed' WHERE id = '" + app + "'");
            assertThat(found(test)).containsEntry("search-index", 1L);
            test.platform.transactions.useTransaction(
                    Isolation.READ_COMMITTED, handle -> test.platform.events.appChanged(handle, UUID.fromString(app)));
            assertThat(found(test)).doesNotContainKey("search-index");
        }
    }

    /**
     * An execution whose event is waiting is late, whichever worker had it. If its event is parked, it is marked
     * failed.
     */
    @Test
    void executionWhoseEventWaitsIsNotLostAndOneWhoseEventIsParkedIs() throws Exception {
        try (TestPlatform test = TestPlatform.idle()) {
            UUID app = test.platform
                    .createApp
                    .execute(Attempt.inScope("workspace:1").key("k").withoutRequest(), 1, "app")
                    .orElseThrow();
            UUID execution = test.platform.triggerExecution.executeUnprotected(1, app);
            test.execute("UPDATE execution SET status = 'running', worker = '" + UUID.randomUUID() + "'");
            assertThat(found(test)).isEmpty();
            test.execute("UPDATE outbox_event SET parked_at = CURRENT_TIMESTAMP WHERE topic = 'executions'");
            JsonNode unused = post(test, "/repairs/lost-executions");
            assertThat(test.one("SELECT status FROM execution WHERE id = '" + execution + "'"))
                    .isEqualTo("failed");
        }
    }

    /**
     * Workspaces without a row for the month, charges that were not taken from the quota, and quota that no charge
     * took. An inner join would miss the last case.
     */
    @Test
    void chargeWhoseQuotaWasNotTakenAndQuotaThatNoChargeTookAreFound() throws Exception {
        try (TestPlatform test = TestPlatform.idle()) {
            for (String row : List.of(
                    "(2, '', 150, 140, 202601)", // no charge at all
                    "(3, '', 150, 140, 202512)", // an earlier month's row, although the amount left matches the charge
                    "(4, '', 150, 150, 202601)", // nothing was taken
                    "(5, '', 150, 140, 202601)")) { // correct: last month's charges do not count
                test.execute("INSERT INTO workspace (id, name, quota_granted, quota_left, quota_month) VALUES " + row);
            }
            for (String row : List.of("3, 10, 202601", "4, 10, 202601", "5, 10, 202601", "5, 99, 202512")) {
                test.execute(
                        "INSERT INTO charge (id, transaction_id, charged_at, workspace_id, amount, quota_month) VALUES ('"
                                + UUID.randomUUID() + "', '" + row + "', CURRENT_TIMESTAMP, " + row + ")");
            }
            PlatformChecks.Row quota = test.platform.checks.named("quota").orElseThrow();
            assertThat(quota.check().run(test.platform.transactions).sample())
                    .extracting(row -> row.get("id"))
                    .containsExactly("2", "3", "4");
            assertThat(quota.repairs().get(0).run(test.platform.transactions).exitCode())
                    .isZero();
            assertThat(test.some("SELECT quota_left || ' of ' || quota_month FROM workspace ORDER BY id", 5))
                    .containsExactly("150 of 0", "150 of 202601", "140 of 202601", "140 of 202601", "140 of 202601");
        }
    }

    /**
     * A worker that has held an execution for an hour, or almost. Its result comes before, after or during the repair.
     */
    @ParameterizedTest
    @EnumSource(names = {"LOGGED", "RESULT_NOT_COMMITTED"})
    void executionHasTheResultOfItsWorkerOrTheEndOfItsRepairAndNeverBoth(WorkerStep stops) throws Exception {
        CountDownLatch there = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicBoolean tooEarly = new AtomicBoolean();
        try (TestPlatform test = TestPlatform.idle();
                Worker worker = worker(test, step -> {
                    if (step == WorkerStep.LOGGED) {
                        begunBefore(test, 59);
                        tooEarly.set(found(test).containsKey("zombie-executions"));
                        begunBefore(test, 61);
                    }
                    if (step == stops) {
                        there.countDown();
                        TestPlatform.await(() -> goOn.getCount() == 0);
                    }
                })) {
            UUID app = test.platform
                    .createApp
                    .execute(Attempt.inScope("workspace:1").key("k").withoutRequest(), 1, "app")
                    .orElseThrow();
            UUID unused = test.platform.triggerExecution.executeUnprotected(1, app);
            var unusedRun = worker.start();
            assertThat(there.await(1, TimeUnit.MINUTES)).isTrue();
            Map<String, Long> found = found(test);
            CompletableFuture<List<RepairReport>> repair =
                    CompletableFuture.supplyAsync(() -> test.platform.upkeep.repair("zombie-executions", false));
            TestPlatform.await(() -> repair.isDone() || isAWriterWaiting(test));
            goOn.countDown();
            assertThat(tooEarly).isFalse();
            assertThat(found).containsEntry("zombie-executions", 1L);
            boolean ended = stops == WorkerStep.RESULT_NOT_COMMITTED;
            assertThat(repair.get(1, TimeUnit.MINUTES))
                    .extracting(RepairReport::changed)
                    .containsExactly(ended ? 0L : 1L);
            TestPlatform.await(
                    () -> test.count("outbox_event WHERE topic = 'executions' AND published_at IS NULL") == 0);
            assertThat(test.one("SELECT status || ': ' || COALESCE(error_message, '') FROM execution"))
                    .isEqualTo(ended ? "succeeded: " : "failed: System timeout");
            assertThat(test.count("execution_result")).isEqualTo(ended ? 1 : 0);
        }
    }

    private static Worker worker(TestPlatform test, Consumer<WorkerStep> at) {
        return new Worker(
                test.platform.transactions,
                Idempotency.on(test.database.store()),
                test.platform.events.outbox(),
                MINUTE,
                1,
                at,
                line -> {});
    }

    private static void begunBefore(TestPlatform test, int minutes) {
        test.execute("UPDATE execution SET started_at = CURRENT_TIMESTAMP - INTERVAL '" + minutes + "' MINUTE");
    }

    private static boolean isAWriterWaiting(TestPlatform test) {
        return test.count("pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()") > 0;
    }

    /** What the checks found, by name. */
    private static Map<String, Long> found(TestPlatform test) {
        return ChecksChapter.found(test.platform.check());
    }

    /** A daily check is not weekly, and a minute before its time no check is due. */
    @Test
    void everyCheckRunsOncePerPeriodAndNotAMinuteEarlier() throws Exception {
        Map<String, Duration> periods = Map.of(
                "orphan-apps", Duration.ofDays(1),
                "zombie-executions", Duration.ofHours(1),
                "lost-executions", Duration.ofHours(1),
                "quota", Duration.ofDays(1),
                "references", Duration.ofDays(7),
                "states", Duration.ofHours(1),
                "doubled-policies", Duration.ofDays(1),
                "ready-without-schema", Duration.ofDays(1),
                "search-index", Duration.ofDays(1),
                "usage-statistics", Duration.ofDays(1));
        try (TestPlatform test = TestPlatform.idle()) {
            assertThat(ran(test, MONDAY)).isEqualTo(periods.keySet());
            for (Duration period : Set.copyOf(periods.values())) {
                Set<String> its = new HashSet<>(periods.keySet());
                its.removeIf(name -> !periods.get(name).equals(period));
                assertThat(ran(test, MONDAY.plus(period).minus(MINUTE))).doesNotContainAnyElementsOf(its);
                assertThat(ran(test, MONDAY.plus(period))).containsAll(its);
            }
        }
    }

    private static Set<String> ran(TestPlatform test, Instant now) {
        return test.platform.upkeep.check(now, false).results().stream()
                .map(CheckResult::check)
                .collect(Collectors.toSet());
    }

    @Test
    void scheduledChecksRunOnceInTheirSlotAndMendIfWanted() throws Exception {
        try (TestPlatform test = TestPlatform.damaged()) {
            Upkeep upkeep = test.platform.upkeep;
            assertThat(ChecksChapter.found(upkeep.check(MONDAY.minus(Duration.ofDays(7)), false)))
                    .hasToString(GeneratedData.PLANTED);
            assertThat(ChecksChapter.found(upkeep.check(MONDAY, true))).hasToString(GeneratedData.PLANTED);
            assertThat(upkeep.check(MONDAY, true).results()).isEmpty();
            assertThat(upkeep.check(MONDAY.plus(Duration.ofDays(7)), true).results())
                    .hasSameSizeAs(test.platform.checks.rows())
                    .allMatch(CheckResult::isClean);
        }
    }

    @Test
    void abandonedRowsAreFinishedOrCompensated() throws Exception {
        try (TestPlatform test = TestPlatform.damaged()) {
            // One app has been deleted meanwhile, and is a draft again.
            assertThat(test.platform.upkeep.resumeAbandoned())
                    .isEqualTo(GeneratedData.ABANDONED_PUBLICATIONS - 1 + GeneratedData.ABANDONED_DATABASES);
            assertThat(test.count("app WHERE name LIKE 'half published%' AND status = 'published'"))
                    .isEqualTo(GeneratedData.ABANDONED_PUBLICATIONS - 1);
            assertThat(test.count("app WHERE name LIKE 'half provisioned%' AND database_status = 'ready'"))
                    .isEqualTo(GeneratedData.ABANDONED_DATABASES);
            assertThat(test.platform.upkeep.resumeAbandoned()).isZero();
        }
    }

    @Test
    void migrationFindsEveryDifferenceRepairsItAndIsCleanAfterwards() throws Exception {
        try (TestPlatform test = TestPlatform.damaged()) {
            Migration migration = test.platform.migration;
            ComparisonReport<UUID> report = migration.comparison().run();
            assertThat(report.totals().missingInNew()).isEqualTo(GeneratedData.NOT_MIGRATED);
            assertThat(report.totals().missingInOld()).isEqualTo(GeneratedData.LEFT_OVER);
            assertThat(report.differencesByField())
                    .containsEntry("name", (long) GeneratedData.OTHER_NAME)
                    .containsEntry("workspace_id", (long) GeneratedData.OTHER_WORKSPACE);
            assertThat(migration.repair().counts().changes())
                    .as("nothing was chosen")
                    .isZero();
            assertThat(test.count("app_by_workspace")).isEqualTo(GeneratedData.MIGRATED - GeneratedData.NOT_MIGRATED);
            assertThat(migration.review().decideRest(Decision.OLD))
                    .isEqualTo(report.totals().findings());
            assertThat(migration.repair().counts().changes())
                    .isEqualTo(report.totals().findings());
            assertThat(migration.review().open()).isZero();
            assertThat(migration.comparison().run().isClean()).isTrue();
        }
    }

    private static JsonNode post(TestPlatform test, String path) throws Exception {
        return test.client
                .send(test.url(), new Request(path, 1, TestPlatform.OPERATOR_HEADER, Map.of()))
                .body();
    }
}
