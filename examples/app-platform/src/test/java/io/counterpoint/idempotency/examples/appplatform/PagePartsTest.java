package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** State machines, load and migration of the page, counted in the tables. */
@Tag("thorough")
class PagePartsTest {

    private static TestPage test;

    @BeforeAll
    static void open() throws Exception {
        test = new TestPage(TestPlatform.empty(), 1, false);
    }

    @AfterAll
    static void close() {
        test.close();
    }

    @ParameterizedTest
    @CsvSource({"publishing, status, published, 2", "provisioning, database_status, ready, 3"})
    void everyAppMovesOnceThoughThreeCallersAskForIt(String machine, String column, String end, int moves)
            throws Exception {
        long before = test.count("app WHERE " + column + " = '" + end + "'");
        long history = test.count("transition_history");
        JsonNode answer = test.act("move", "machine", machine, "apps", 4);
        assertThat(answer.path("asked").asLong()).isEqualTo(12);
        assertThat(answer.path("moved").asLong()).isEqualTo(4);
        assertThat(test.count("app WHERE " + column + " = '" + end + "'")).isEqualTo(before + 4);
        assertThat(test.count("transition_history")).isEqualTo(history + 4L * moves);
    }

    @Test
    void loadIsSentUntilItIsSetToNothing() throws Exception {
        long apps = test.count("app WHERE name LIKE 'load %'");
        long executions = test.count("execution");
        test.act("load", "perSecond", 60);
        TestPlatform.await(() ->
                test.count("execution") > executions + 5 && test.count("app WHERE name LIKE 'load %'") > apps + 2);
        JsonNode stopped = test.act("load", "perSecond", 0);
        assertThat(stopped.path("lags").findValuesAsText("part")).hasSize(5);
        assertThat(test.post("load", "perSecond", 100_000).statusCode()).isEqualTo(400);
    }

    @Test
    void killedWorkerIsReplacedAndEachExecutionHasOneResult() throws Exception {
        TestPlatform.await(() -> test.workers.pids().size() == 1);
        JsonNode answer = test.act("kill-worker");
        long killed = answer.path("killed").asLong();
        String ofTheApp = "e.app_id = '" + answer.path("app").asText() + "'";
        TestPlatform.await(() -> test.count("execution e WHERE status = 'succeeded' AND " + ofTheApp) == 40);
        assertThat(test.count("execution_result r JOIN execution e ON e.id = r.execution_id WHERE " + ofTheApp))
                .isEqualTo(40);
        TestPlatform.await(
                () -> test.workers.pids().size() == 1 && !test.workers.pids().contains(killed));
    }

    @ParameterizedTest
    @ValueSource(strings = {"other_name", "missing_in_new", "left_over_in_new"})
    void lostWriteIsFoundWithBothValuesChosenAndRepaired(String difference) throws Exception {
        test.act("switch-path", "mode", "both");
        test.act("compare");
        test.act("choose", "right", "old");
        test.act("repair-chosen");
        String app = test.act("differ", "difference", difference).path("app").asText();
        JsonNode found = test.act("compare");
        assertThat(found.path("findings").asLong()).isOne();
        JsonNode row = found.path("differences").path(0);
        assertThat(row.path("app").asText()).isEqualTo(app);
        assertThat(row.path("old").asText(""))
                .isEqualTo(difference.equals("left_over_in_new") ? "" : "{\"workspace_id\":1,\"name\":\"as it is\"}");
        assertThat(row.path("new").asText(""))
                .isEqualTo(difference.equals("missing_in_new") ? "" : "{\"workspace_id\":1,\"name\":\"as it was\"}");
        assertThat(test.act("repair-chosen").path("changes").asLong())
                .as("without a choice")
                .isZero();
        boolean newIsRight = difference.equals("other_name");
        JsonNode chosen = test.act("choose", "right", newIsRight ? "new" : "old", "app", app);
        assertThat(chosen.path("differences").path(0).path("right").asText()).isEqualTo(newIsRight ? "new" : "old");
        JsonNode repaired = test.act("repair-chosen");
        assertThat(repaired.path("changes").asLong()).isOne();
        assertThat(repaired.path("left").asLong()).isZero();
        String there = " WHERE id = '" + app + "' AND name = '" + (newIsRight ? "as it was" : "as it is") + "'";
        long rows = difference.equals("left_over_in_new") ? 0 : 1;
        assertThat(test.count("app_by_user" + there)).isEqualTo(rows);
        assertThat(test.count("app_by_workspace" + there)).isEqualTo(rows);
        assertThat(test.act("compare").path("findings").asLong()).isZero();
    }

    @Test
    void switchOfThePageIsThatOfTheService() throws Exception {
        assertThat(test.act("switch-path", "mode", "both").path("mode").asText())
                .isEqualTo("both");
        test.act("move", "machine", "publishing", "apps", 1);
        assertThat(test.count("app a JOIN app_by_user u ON u.id = a.id JOIN app_by_workspace w ON w.id = a.id"
                        + " WHERE a.name LIKE 'moving %'"))
                .isPositive();
        assertThat(test.act("switch-path", "mode", "old").path("mode").asText()).isEqualTo("old");
        assertThat(test.post("switch-path", "mode", "new").statusCode()).isEqualTo(422);
        assertThat(test.count("app_path WHERE status = 'old'")).isOne();
    }
}
