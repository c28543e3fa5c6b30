package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.consistency.comparison.ComparisonReview.Decision;
import io.counterpoint.idempotency.consistency.comparison.RepairResult;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * This platform's tables in the library's review: its schedule, both its targets, and a row that cannot be repaired.
 */
@Tag("thorough")
class MigrationReviewTest {

    private static final UUID RENAMED = new UUID(0, 1);
    private static final UUID MOVED = new UUID(0, 2);
    private static final UUID ONLY_OLD = new UUID(0, 3);
    private static final UUID ONLY_NEW = new UUID(0, 4);
    private static final UUID WITHOUT_WORKSPACE = new UUID(0, 5);
    private static final UUID EQUAL = new UUID(0, 6);

    private TestPlatform test;
    private Migration migration;

    @BeforeEach
    void open() throws Exception {
        test = TestPlatform.idle();
        test.execute("INSERT INTO workspace_of_user (user_id, workspace_id) VALUES (1002, 2)");
        old(RENAMED, 1001, "old name");
        replacement(RENAMED, 1, "new name");
        old(MOVED, 1001, "moved");
        replacement(MOVED, 2, "moved");
        old(ONLY_OLD, 1001, "only old");
        replacement(ONLY_NEW, 2, "only new");
        old(EQUAL, 1002, "equal");
        replacement(EQUAL, 2, "equal");
        migration = test.platform.migration;
    }

    @AfterEach
    void close() {
        test.close();
    }

    private void old(UUID app, int user, String name) {
        test.execute("INSERT INTO app_by_user VALUES ('" + app + "', " + user + ", '" + name + "', 1)");
    }

    private void replacement(UUID app, int workspace, String name) {
        test.execute("INSERT INTO app_by_workspace VALUES ('" + app + "', " + workspace + ", '" + name + "', 1)");
    }

    @Test
    void comparisonRunsOnceAnHourWhileBothAreWritten() {
        Instant now = Instant.parse("2026-11-23T12:00:00Z");
        Upkeep upkeep = test.platform.upkeep;
        assertThat(upkeep.compareMigration(now)).isFalse();
        test.execute("UPDATE app_path SET status = 'both'");
        assertThat(upkeep.compareMigration(now)).isTrue();
        assertThat(migration.review().open()).isEqualTo(4);
        assertThat(upkeep.compareMigration(now.plusSeconds(3599))).isFalse();
        test.execute("DELETE FROM app_by_user");
        test.execute("DELETE FROM app_by_workspace");
        assertThat(upkeep.compareMigration(now.plusSeconds(3600))).isTrue();
        assertThat(migration.review().open()).isZero();
    }

    @Test
    void repairWritesUsersIntoTheOldTableAndWorkspacesIntoTheNewOne() {
        assertThat(migration.comparison().run().totals().findings()).isEqualTo(4);
        assertThat(migration.review().decide(ONLY_OLD, Decision.OLD)).isTrue();
        assertThat(migration.review().decideRest(Decision.NEW)).isEqualTo(3);
        assertThat(migration.repair().isClean()).isTrue();
        assertThat(test.one("SELECT name FROM app_by_user WHERE id = '" + RENAMED + "'"))
                .isEqualTo("new name");
        assertThat(test.one("SELECT user_id FROM app_by_user WHERE id = '" + MOVED + "'"))
                .isEqualTo("1002");
        assertThat(test.one("SELECT user_id FROM app_by_user WHERE id = '" + ONLY_NEW + "'"))
                .isEqualTo("1002");
        assertThat(test.one("SELECT workspace_id FROM app_by_workspace WHERE id = '" + ONLY_OLD + "'"))
                .isEqualTo("1");
    }

    @Test
    void appWhoseUserHasNoWorkspaceIsNamedAndHindersNoOther() {
        old(WITHOUT_WORKSPACE, 1003, "nowhere");
        assertThat(migration.comparison().run().totals().findings()).isEqualTo(5);
        assertThat(migration.review().decideRest(Decision.OLD)).isEqualTo(5);
        RepairResult<UUID> result = migration.repair();
        assertThat(result.counts().changes()).isEqualTo(4);
        assertThat(result.unrepaired()).singleElement().satisfies(row -> {
            assertThat(row.key()).isEqualTo(WITHOUT_WORKSPACE);
            assertThat(row.why()).containsIgnoringCase("workspace_id");
        });
        assertThat(migration.review().findings(0, 9))
                .extracting(item -> item.finding().key())
                .containsExactly(WITHOUT_WORKSPACE);
    }
}
