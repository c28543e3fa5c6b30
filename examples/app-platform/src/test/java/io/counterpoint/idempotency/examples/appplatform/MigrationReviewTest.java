package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.consistency.comparison.Side;
import io.counterpoint.idempotency.examples.appplatform.MigrationReview.Difference;
import io.counterpoint.idempotency.examples.appplatform.TestPlatform.On;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** An operator sees what both tables say of an app, and chooses for each which of them is right. */
@Tag("thorough")
@ParameterizedClass
@EnumSource
class MigrationReviewTest {

    private static final UUID RENAMED = new UUID(0, 1);
    private static final UUID MOVED = new UUID(0, 2);
    private static final UUID ONLY_OLD = new UUID(0, 3);
    private static final UUID ONLY_NEW = new UUID(0, 4);
    private static final UUID UNDECIDED = new UUID(0, 5);
    private static final UUID EQUAL = new UUID(0, 6);

    @Parameter
    On kind;

    private TestPlatform test;
    private MigrationReview review;

    @BeforeEach
    void open() throws Exception {
        test = TestPlatform.idle(kind);
        test.execute("INSERT INTO workspace_of_user (user_id, workspace_id) VALUES (1002, 2)");
        old(RENAMED, 1001, "old name");
        replacement(RENAMED, 1, "new name");
        old(MOVED, 1001, "moved");
        replacement(MOVED, 2, "moved");
        old(ONLY_OLD, 1001, "only old");
        replacement(ONLY_NEW, 2, "only new");
        old(UNDECIDED, 1001, "this");
        replacement(UNDECIDED, 1, "or that");
        old(EQUAL, 1002, "equal");
        replacement(EQUAL, 2, "equal");
        review = new MigrationReview(
                test.database.jdbi(),
                new Migration(test.database.jdbi(), Duration.ofMillis(50), line -> {}),
                test.platform.events());
        assertThat(detected()).isEqualTo(5);
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

    private long detected() {
        return review.detect().totals().findings();
    }

    private Difference of(UUID app) {
        return review.differences().stream()
                .filter(difference -> difference.app().equals(app))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void findingCarriesWhatBothTablesSay() {
        assertThat(of(RENAMED).old()).contains("{workspace_id=1, name=old name}");
        assertThat(of(RENAMED).replacement()).contains("{workspace_id=1, name=new name}");
        assertThat(of(MOVED).replacement()).contains("{workspace_id=2, name=moved}");
        assertThat(of(ONLY_OLD).replacement()).isEmpty();
        assertThat(of(ONLY_NEW).old()).isEmpty();
        assertThat(review.differences()).extracting(Difference::right).containsOnly(Optional.empty());
    }

    @Test
    void repairFollowsTheChoiceForEachFinding() {
        assertThat(review.choose(RENAMED, Side.NEW)).isTrue();
        assertThat(review.choose(MOVED, Side.OLD)).isTrue();
        assertThat(review.choose(ONLY_OLD, Side.NEW)).isTrue();
        assertThat(review.choose(ONLY_NEW, Side.NEW)).isTrue();
        assertThat(review.choose(EQUAL, Side.NEW)).isFalse();
        assertThat(of(RENAMED).right()).contains(Side.NEW);
        assertThat(review.repair()).isEqualTo(4);
        assertThat(review.differences()).extracting(Difference::app).containsExactly(UNDECIDED);
        assertThat(test.one("SELECT name FROM app_by_user WHERE id = '" + RENAMED + "'"))
                .isEqualTo("new name");
        assertThat(test.one("SELECT workspace_id FROM app_by_workspace WHERE id = '" + MOVED + "'"))
                .isEqualTo("1");
        assertThat(test.count("app_by_user WHERE id = '" + ONLY_OLD + "'")).isZero();
        assertThat(test.one("SELECT user_id FROM app_by_user WHERE id = '" + ONLY_NEW + "'"))
                .isEqualTo("1002");
    }

    @Test
    void comparisonRunsOnceAnHourWhileBothAreWritten() {
        test.execute("DELETE FROM migration_finding");
        Instant now = Instant.parse("2026-11-23T12:00:00Z");
        assertThat(test.platform.upkeep().compareMigration(now)).isFalse();
        test.execute("UPDATE app_path SET status = 'both'");
        assertThat(test.platform.upkeep().compareMigration(now)).isTrue();
        assertThat(review.differences()).hasSize(5);
        assertThat(test.platform.upkeep().compareMigration(now.plusSeconds(3599)))
                .isFalse();
        test.execute("DELETE FROM app_by_user");
        test.execute("DELETE FROM app_by_workspace");
        assertThat(test.platform.upkeep().compareMigration(now.plusSeconds(3600)))
                .isTrue();
        assertThat(review.differences()).isEmpty();
    }

    @Test
    void choiceOutlivesAnotherComparison() {
        assertThat(review.choose(RENAMED, Side.NEW)).isTrue();
        assertThat(review.choose(MOVED, Side.OLD)).isTrue();
        test.execute("UPDATE app_by_user SET name = 'later', version = 2 WHERE id = '" + MOVED + "'");
        assertThat(detected()).isEqualTo(5);
        assertThat(of(RENAMED).right()).contains(Side.NEW);
        assertThat(of(MOVED).right()).as("chosen before it was written").isEmpty();
    }

    @Test
    void rowThatWasWrittenSinceIsLeftAlone() {
        assertThat(review.choose(RENAMED, Side.NEW)).isTrue();
        test.execute("UPDATE app_by_user SET name = 'later', version = 2 WHERE id = '" + RENAMED + "'");
        assertThat(review.repair()).isZero();
        assertThat(of(RENAMED).old()).contains("{workspace_id=1, name=later}");
        assertThat(of(RENAMED).right()).isEmpty();
    }
}
