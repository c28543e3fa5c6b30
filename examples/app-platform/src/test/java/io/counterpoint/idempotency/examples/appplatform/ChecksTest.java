package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.consistency.check.CheckResult;
import io.counterpoint.idempotency.consistency.comparison.Report;
import io.counterpoint.idempotency.consistency.comparison.Side;
import io.counterpoint.idempotency.examples.appplatform.Client.Request;
import io.counterpoint.idempotency.examples.appplatform.TestPlatform.On;
import io.counterpoint.idempotency.examples.appplatform.search.AppIndex;
import io.counterpoint.idempotency.jdbc.Isolation;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("thorough")
class ChecksTest {

    private static final List<Long> PLANTED = List.of(
            (long) GeneratedData.ORPHANS,
            (long) GeneratedData.ZOMBIES,
            (long) GeneratedData.WRONG_QUOTA,
            (long) GeneratedData.DANGLING_VERSIONS
                    + GeneratedData.DANGLING_POLICIES
                    + GeneratedData.DANGLING_LINES
                    + GeneratedData.DANGLING_EXECUTIONS,
            0L,
            0L,
            0L,
            0L,
            0L,
            (long) GeneratedData.WRONG_USAGE);

    /** Executions that run long under a live worker are not found. */
    @ParameterizedTest
    @EnumSource
    void everyCheckFindsWhatWasPlantedAndItsRepairRemovesIt(On kind) throws Exception {
        try (TestPlatform test = TestPlatform.damaged(kind)) {
            assertThat(offending(test.client.get(test.url() + "/checks", 1, TestPlatform.OPERATOR_HEADER)))
                    .isEqualTo(PLANTED);
            for (PlatformChecks.Row row : test.platform.checks().rows()) {
                String path = "/repairs/" + row.check().name();
                assertThat(post(test, path + "?dryRun=true").findValuesAsText("changed"))
                        .allMatch("0"::equals);
                assertThat(post(test, path).findValuesAsText("end"))
                        .hasSameSizeAs(row.repairs())
                        .allMatch("COMPLETE"::equals);
            }
            JsonNode after = test.client.get(test.url() + "/checks", 1, TestPlatform.OPERATOR_HEADER);
            assertThat(offending(after)).containsOnly(0L);
            assertThat(after.path("exitCode").asInt()).isZero();
            assertThat(test.count("repair_audit"))
                    .isEqualTo(PLANTED.stream().mapToLong(Long::longValue).sum());
            assertThat(test.count("execution WHERE status = 'running'")).isEqualTo(GeneratedData.LONG_RUNNING);
            assertThat(test.count("app a WHERE deleted_at IS NOT NULL AND name LIKE 'orphan%'"
                            + " AND NOT EXISTS (SELECT 1 FROM workspace w WHERE w.id = a.workspace_id)"))
                    .as("orphans are deleted softly: their rows stay")
                    .isEqualTo(GeneratedData.ORPHANS);
            assertThat(test.count("execution WHERE status = 'failed' AND error_message = 'The worker died.'"
                            + " AND completed_at IS NOT NULL"))
                    .isEqualTo(GeneratedData.ZOMBIES);
            TestPlatform.await(test.platform::isQuiet);
            assertThat(test.platform.search().find(9_001, "orphan", 1)).isEmpty();
            assertThat(test.client
                            .send(
                                    test.url(),
                                    new Request("/repairs/nothing", 1, TestPlatform.OPERATOR_HEADER, Map.of()))
                            .status())
                    .isEqualTo(404);
        }
    }

    /** What no request of the service leaves behind, but people and other programs do. */
    @ParameterizedTest
    @EnumSource
    void damageThatCameFromElsewhereIsFoundAndMendedWhereThatIsSafe(On kind) throws Exception {
        try (TestPlatform test = TestPlatform.damaged(kind)) {
            List<String> published = test.some("SELECT id FROM app WHERE status = 'published' ORDER BY name", 3);
            test.execute("INSERT INTO app_policy (id, app_id, access) SELECT '" + UUID.randomUUID()
                    + "', id, access FROM (SELECT app_id AS id, access FROM app_policy WHERE app_id = '"
                    + published.get(0) + "') one");
            test.execute("UPDATE app SET database_status = 'ready' WHERE id = '" + published.get(1) + "'");
            test.platform.search().index().remove(UUID.fromString(published.get(2)));
            test.platform.search().index().put(UUID.randomUUID(), new AppIndex.Entry(1, "never was"));
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

            assertThat(found(test)).containsExactly(2L, 1 + endless, 1L, 1L, 2L, 2L + GeneratedData.WRONG_USAGE);
            for (PlatformChecks.Row row : test.platform.checks().rows()) {
                JsonNode unused = post(test, "/repairs/" + row.check().name());
            }
            TestPlatform.await(test.platform::isQuiet);
            // A lost workspace and an unknown state are left to an operator.
            assertThat(found(test)).containsExactly(2L, 1L, 0L, 0L, 0L, 0L);
            assertThat(test.platform.search().index().all()).containsKey(UUID.fromString(published.get(2)));
            assertThat(test.one("SELECT database_status FROM app WHERE id = '" + published.get(1) + "'"))
                    .isEqualTo("none");
        }
    }

    /** A part that is only behind is not wrong: it is not found, and its repair changes nothing. */
    @ParameterizedTest
    @EnumSource
    void partThatStillWaitsForAnEventIsNotFound(On kind) throws Exception {
        try (TestPlatform test = TestPlatform.stopped(kind)) {
            test.platform.search().start();
            String app = test.some("SELECT id FROM app WHERE status = 'published' ORDER BY name", 1)
                    .get(0);
            test.execute("UPDATE app SET name = 'renamed' WHERE id = '" + app + "'");
            assertThat(found(test)).containsExactly(0L, 0L, 0L, 0L, 1L, (long) GeneratedData.WRONG_USAGE);
            test.platform
                    .transactions()
                    .useTransaction(
                            Isolation.READ_COMMITTED,
                            handle -> test.platform.events().appChanged(handle, UUID.fromString(app)));
            assertThat(found(test)).containsExactly(0L, 0L, 0L, 0L, 0L, (long) GeneratedData.WRONG_USAGE);
        }
    }

    /** An execution whose event waits is late, whichever worker had it. One whose event is parked is given up. */
    @ParameterizedTest
    @EnumSource
    void executionWhoseEventWaitsIsNoZombieAndOneWhoseEventIsParkedIs(On kind) throws Exception {
        try (TestPlatform test = TestPlatform.idle(kind)) {
            UUID app = test.platform
                    .createApp()
                    .execute(Attempt.in("workspace:1").key("k").request(), 1, "app")
                    .orElseThrow();
            UUID execution = test.platform.triggerExecution().executeUnprotected(1, app);
            test.execute("UPDATE execution SET status = 'running', worker = '" + UUID.randomUUID() + "'");
            assertThat(offending(test.client.get(test.url() + "/checks", 1, TestPlatform.OPERATOR_HEADER)))
                    .containsOnly(0L);
            test.execute("UPDATE outbox_event SET parked_at = CURRENT_TIMESTAMP WHERE topic = 'executions'");
            JsonNode unused = post(test, "/repairs/zombie-executions");
            assertThat(test.one("SELECT status FROM execution WHERE id = '" + execution + "'"))
                    .isEqualTo("failed");
        }
    }

    /** What the checks found that look for other damage than the generated. */
    private static List<Long> found(TestPlatform test) throws Exception {
        List<Long> all = offending(test.client.get(test.url() + "/checks", 1, TestPlatform.OPERATOR_HEADER));
        return all.subList(4, all.size());
    }

    @ParameterizedTest
    @EnumSource
    void scheduledChecksRunOnceInTheirSlotAndMendIfWanted(On kind) throws Exception {
        try (TestPlatform test = TestPlatform.damaged(kind)) {
            Instant monday = Instant.parse("2026-01-05T00:00:00Z");
            assertThat(test.platform
                            .upkeep()
                            .check(monday.minus(Duration.ofDays(7)), false)
                            .results())
                    .extracting(CheckResult::offending)
                    .isEqualTo(PLANTED);
            assertThat(test.platform.upkeep().check(monday, true).results())
                    .extracting(CheckResult::offending)
                    .isEqualTo(PLANTED);
            assertThat(test.platform.upkeep().check(monday, true).results()).isEmpty();
            assertThat(test.platform
                            .upkeep()
                            .check(monday.plus(Duration.ofHours(1)), true)
                            .results())
                    .allMatch(CheckResult::isClean)
                    .extracting(CheckResult::check)
                    .containsExactly("zombie-executions", "states");
            assertThat(test.platform
                            .upkeep()
                            .check(monday.plus(Duration.ofDays(1)), true)
                            .results())
                    .extracting(CheckResult::check)
                    .as("hourly and daily, not weekly")
                    .contains("orphan-apps", "quota", "zombie-executions")
                    .doesNotContain("references", "lost-workspaces");
            assertThat(test.platform
                            .upkeep()
                            .check(monday.plus(Duration.ofDays(7)), true)
                            .results())
                    .hasSameSizeAs(PLANTED)
                    .allMatch(CheckResult::isClean);
        }
    }

    @ParameterizedTest
    @EnumSource
    void abandonedRowsAreFinishedOrCompensated(On kind) throws Exception {
        try (TestPlatform test = TestPlatform.damaged(kind)) {
            assertThat(test.platform.upkeep().resumeAbandoned())
                    .isEqualTo(GeneratedData.ABANDONED_PUBLICATIONS + GeneratedData.ABANDONED_DATABASES);
            assertThat(test.count("app WHERE name LIKE 'half published%' AND status = 'published'"))
                    .isEqualTo(GeneratedData.ABANDONED_PUBLICATIONS - 1);
            assertThat(test.count("app WHERE name LIKE 'half provisioned%' AND database_status = 'ready'"))
                    .isEqualTo(GeneratedData.ABANDONED_DATABASES);
            assertThat(test.platform.upkeep().resumeAbandoned()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void migrationFindsEveryDifferenceRepairsItAndIsCleanAfterwards(On kind) throws Exception {
        try (TestPlatform test = TestPlatform.damaged(kind)) {
            MigrationReview review = test.platform.migration();
            Report<UUID> report = review.detect();
            assertThat(report.totals().missingInNew()).isEqualTo(GeneratedData.NOT_MIGRATED);
            assertThat(report.totals().missingInOld()).isEqualTo(GeneratedData.LEFT_OVER);
            assertThat(report.differencesByField())
                    .containsEntry("name", (long) GeneratedData.OTHER_NAME)
                    .containsEntry("workspace_id", (long) GeneratedData.OTHER_WORKSPACE);
            assertThat(review.repair()).as("nothing was chosen").isZero();
            assertThat(test.count("app_by_workspace")).isEqualTo(GeneratedData.MIGRATED - GeneratedData.NOT_MIGRATED);
            assertThat(review.chooseForTheRest(Side.OLD))
                    .isEqualTo((int) report.totals().findings());
            assertThat(review.repair()).isEqualTo(report.totals().findings());
            assertThat(review.differences()).isEmpty();
        }
    }

    private static List<Long> offending(JsonNode report) {
        return report.path("checks").findValues("offending").stream()
                .map(JsonNode::asLong)
                .toList();
    }

    private static JsonNode post(TestPlatform test, String path) throws Exception {
        return test.client
                .send(test.url(), new Request(path, 1, TestPlatform.OPERATOR_HEADER, Map.of()))
                .body();
    }
}
