package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterpoint.idempotency.consistency.check.CheckResult;
import io.counterpoint.idempotency.consistency.comparison.RepairResult;
import io.counterpoint.idempotency.consistency.comparison.Report;
import io.counterpoint.idempotency.examples.appplatform.Client.Request;
import io.counterpoint.idempotency.examples.appplatform.TestPlatform.On;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ChecksTest {

    private static final List<Long> PLANTED = List.of(
            (long) GeneratedData.ORPHANS,
            (long) GeneratedData.ZOMBIES,
            (long) GeneratedData.WRONG_USAGE + GeneratedData.WRONG_QUOTA,
            (long) GeneratedData.DANGLING_VERSIONS
                    + GeneratedData.DANGLING_POLICIES
                    + GeneratedData.DANGLING_LINES
                    + GeneratedData.DANGLING_EXECUTIONS);

    /** Executions that run long under a live runner are not found. */
    @ParameterizedTest
    @EnumSource
    void everyCheckFindsWhatWasPlantedAndItsRepairRemovesIt(On kind) throws Exception {
        try (TestPlatform test = TestPlatform.damaged(kind)) {
            assertThat(offending(test.client.get(test.url() + "/checks", 1, TestPlatform.OPERATOR_HEADER)))
                    .isEqualTo(PLANTED);
            for (PlatformChecks.Row row : test.platform.checks().rows()) {
                String path = "/repairs/" + row.check().name();
                assertThat(post(test, path + "?dryRun=true").findValuesAsText("changed"))
                        .containsOnly("0");
                assertThat(post(test, path).findValuesAsText("end")).containsOnly("COMPLETE");
            }
            JsonNode after = test.client.get(test.url() + "/checks", 1, TestPlatform.OPERATOR_HEADER);
            assertThat(offending(after)).containsOnly(0L);
            assertThat(after.path("exitCode").asInt()).isZero();
            assertThat(test.count("repair_audit"))
                    .isEqualTo(PLANTED.stream().mapToLong(Long::longValue).sum());
            assertThat(test.count("execution WHERE status = 'running'")).isEqualTo(GeneratedData.LONG_RUNNING);
            TestPlatform.await(test.platform::isQuiet);
            assertThat(test.count("search_entry WHERE name LIKE 'orphan%'")).isZero();
            assertThat(test.client
                            .send(
                                    test.url(),
                                    new Request("/repairs/nothing", 1, TestPlatform.OPERATOR_HEADER, Map.of()))
                            .status())
                    .isEqualTo(404);
        }
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
                    .singleElement()
                    .matches(result -> result.check().equals("zombie-executions") && result.isClean());
            assertThat(test.platform
                            .upkeep()
                            .check(monday.plus(Duration.ofDays(7)), true)
                            .results())
                    .hasSize(4)
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
            Migration migration = new Migration(test.database.jdbi(), Duration.ofMillis(300), line -> {});
            Report<UUID> report = migration.comparison().run();
            assertThat(report.totals().missingInNew()).isEqualTo(GeneratedData.NOT_MIGRATED);
            assertThat(report.totals().missingInOld()).isEqualTo(GeneratedData.LEFT_OVER);
            assertThat(report.differencesByField())
                    .containsEntry("name", (long) GeneratedData.OTHER_NAME)
                    .containsEntry("workspace_id", (long) GeneratedData.OTHER_WORKSPACE);
            assertThat(migration.plan().dryRun().counts().changes())
                    .isEqualTo(report.totals().findings());
            assertThat(test.count("app_by_workspace")).isEqualTo(GeneratedData.MIGRATED - GeneratedData.NOT_MIGRATED);
            RepairResult<UUID> repaired = migration.plan().apply();
            assertThat(repaired.isClean()).as(repaired.table()).isTrue();
            assertThat(migration.comparison().startOver().isClean()).isTrue();
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
