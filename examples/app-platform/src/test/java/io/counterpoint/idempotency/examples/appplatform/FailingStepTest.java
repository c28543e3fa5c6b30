package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.programs.CannotRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A step that fails reports why and leaves nothing behind; work that keeps failing does not block anything else. */
@Tag("thorough")
class FailingStepTest {

    private TestPlatform test;

    @BeforeEach
    void open() throws CannotRun {
        test = TestPlatform.empty();
    }

    @AfterEach
    void close() {
        test.close();
    }

    private UUID app(String status, int minutesAgo) {
        UUID app = UUID.randomUUID();
        test.execute("INSERT INTO app (id, workspace_id, name, status, publisher, publishing_since, database_status,"
                + " provisioner, provisioning_since) VALUES ('" + app + "', 1, 'app', "
                + (status.equals("creating")
                        ? "'draft', NULL, NULL, 'creating', '" + UUID.randomUUID() + "', CURRENT_TIMESTAMP"
                        : "'" + status + "', '" + UUID.randomUUID() + "', CURRENT_TIMESTAMP")
                + " - INTERVAL '" + minutesAgo + "' MINUTE"
                + (status.equals("creating") ? ")" : ", 'none', NULL, NULL)"));
        return app;
    }

    private Raw publish(UUID app) throws Exception {
        return Raw.send(test.url(), "POST", "/publications", "{\"app\":\"" + app + "\"}", "Workspace: 1");
    }

    @Test
    void publicationThatFailsIsADraftAgainAndSaysWhy() throws Exception {
        UUID app = app("draft", 0);
        test.execute("ALTER TABLE app_policy ADD CONSTRAINT no_policy CHECK (access <> 'workspace')");
        for (int tries = 0; tries < 2; tries++) {
            Raw answer = publish(app);
            assertThat(answer.status()).isEqualTo(500);
            assertThat(answer.text()).contains("publication-failed", "draft", "SQLSTATE 23");
            assertThat(test.one("SELECT status FROM app")).isEqualTo("draft");
        }
        test.execute("ALTER TABLE app_policy DROP CONSTRAINT no_policy");
        assertThat(publish(app).status()).isEqualTo(200);
        assertThat(test.count("app_policy")).isEqualTo(1);
    }

    @Test
    void artifactThatCannotBeStoredLeavesADraftThatSaysWhy() throws Exception {
        UUID app = app("draft", 0);
        Path folder = test.platform.outside.artifactFolder();
        Files.delete(folder);
        for (int tries = 0; tries < 2; tries++) {
            Raw answer = publish(app);
            assertThat(answer.status()).isEqualTo(500);
            assertThat(answer.text()).contains("publication-failed", "draft", "NoSuchFileException");
            assertThat(test.one("SELECT status FROM app")).isEqualTo("draft");
            assertThat(test.one("SELECT publication_error FROM app")).isEqualTo("NoSuchFileException");
        }
        Path unused = Files.createDirectory(folder);
        assertThat(publish(app).status()).isEqualTo(200);
        assertThat(test.count("app WHERE publication_error IS NULL")).isEqualTo(1);
        assertThat(test.platform.outside.artifacts().read(test.one("SELECT artifact FROM app")))
                .isPresent();
        try (Stream<Path> stored = Files.list(folder)) {
            assertThat(stored).hasSize(1);
        }
    }

    /** An abandoned publication whose artifact cannot be stored becomes a draft again, and is not retried forever. */
    @Test
    void abandonedPublicationWithoutArtifactGoesBackToDraftOnce() throws Exception {
        UUID unused = app("publishing", 100);
        Files.delete(test.platform.outside.artifactFolder());
        int resumed = test.platform.upkeep.resumeAbandoned();
        assertThat(resumed).isZero();
        assertThat(test.one("SELECT status FROM app")).isEqualTo("draft");
        assertThat(test.one("SELECT publication_error FROM app")).isEqualTo("NoSuchFileException");
        assertThat(test.count("transition_history WHERE to_state = 'draft'")).isEqualTo(1);
        assertThat(test.platform.upkeep.resumeAbandoned()).isZero();
        assertThat(test.count("transition_history WHERE to_state = 'draft'")).isEqualTo(1);
    }

    @Test
    void whatKeepsFailingHoldsUpNothingElse() {
        List<UUID> failing = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            failing.add(app("publishing", 200 + i));
        }
        test.execute("CREATE TABLE failing (id uuid PRIMARY KEY)");
        failing.forEach(app -> test.execute("INSERT INTO failing VALUES ('" + app + "')"));
        // For these apps, neither a policy nor the return to draft can be stored.
        test.execute("INSERT INTO app_policy (id, app_id, access) SELECT id, id, 'old' FROM failing");
        test.execute("CREATE UNIQUE INDEX one_policy ON app_policy (app_id)");
        test.execute("UPDATE app SET name = 'failing' WHERE id IN (SELECT id FROM failing)");
        test.execute("ALTER TABLE app ADD CONSTRAINT no_way_back CHECK (NOT (status = 'draft' AND name = 'failing'))");
        UUID good = app("publishing", 100);
        UUID database = app("creating", 100);
        try {
            int unused = test.platform.upkeep.resumeAbandoned();
        } catch (RuntimeException failure) {
            assertThat(failure).isNotNull();
        }
        assertThat(test.one("SELECT status FROM app WHERE id = '" + good + "'")).isEqualTo("published");
        assertThat(test.one("SELECT database_status FROM app WHERE id = '" + database + "'"))
                .isEqualTo("ready");
        assertThat(test.count("app WHERE status = 'publishing'")).isEqualTo(3);
        try {
            int unused = test.platform.upkeep.resumeAbandoned();
        } catch (RuntimeException failure) {
            assertThat(failure).isNotNull();
        }
        // Each has failed once, and is resumed only after work that was abandoned earlier.
        assertThat(test.count("transition_history WHERE from_state = 'publishing' AND to_state = 'publishing'"))
                .isEqualTo(4);
    }
}
