package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** State machines, load, chats and migration of the page, counted in the tables. */
class PagePartsTest {

    private static TestPage test;

    @BeforeAll
    static void open() throws Exception {
        test = new TestPage(false);
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
        assertThat(stopped.path("lags").findValuesAsText("part")).hasSize(4);
        assertThat(test.post("load", "perSecond", 100_000).statusCode()).isEqualTo(400);
    }

    @Test
    void memberWhoIsOfflineMissesTheEventAndFindsTheGroupInTheTable() throws Exception {
        JsonNode offline = test.act("online", "member", "cleo", "online", false);
        assertThat(offline.path("cleo").path("online").asBoolean()).isFalse();
        long groups = test.count("chat_group");
        String name = test.act("new-group").path("name").asText();
        assertThat(test.count("chat_group")).isEqualTo(groups + 1);
        assertThat(test.count("membership JOIN chat_group ON id = group_id WHERE name = '" + name + "'"))
                .isEqualTo(3);
        TestPlatform.await(() -> lines("ben").contains("the hub says: " + name));
        assertThat(lines("cleo")).doesNotContain(name);
        JsonNode back = test.act("online", "member", "cleo", "online", true);
        assertThat(back.path("cleo").path("lines").toString()).contains("found in the table: " + name);
    }

    /** The windows as another answer shows them. */
    private static String lines(String member) {
        try {
            return test.act("online", "member", "ada", "online", true)
                    .path(member)
                    .path("lines")
                    .toString();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"other_name", "missing_in_new", "left_over_in_new"})
    void lostWriteIsFoundWithBothValuesAndRepaired(String difference) throws Exception {
        String app = test.act("differ", "difference", difference).path("app").asText();
        JsonNode found = test.act("compare");
        assertThat(found.path("findings").asLong()).isOne();
        assertThat(found.path("rows").path(0).path("app").asText()).isEqualTo(app);
        assertThat(found.path("rows").path(0).path("old").asText())
                .isEqualTo(difference.equals("left_over_in_new") ? "–" : "as it is, workspace 1");
        assertThat(found.path("rows").path(0).path("new").asText())
                .isEqualTo(difference.equals("missing_in_new") ? "–" : "as it was, workspace 1");
        JsonNode repaired = test.act("make-alike");
        assertThat(repaired.path("changes").asLong()).isOne();
        assertThat(repaired.path("clean").asBoolean()).isTrue();
        assertThat(test.count("app_by_workspace WHERE id = '" + app + "' AND name = 'as it is'"))
                .isEqualTo(difference.equals("left_over_in_new") ? 0 : 1);
        assertThat(test.count("app_by_workspace WHERE id = '" + app + "'"))
                .isEqualTo(difference.equals("left_over_in_new") ? 0 : 1);
        assertThat(test.act("compare").path("findings").asLong()).isZero();
    }
}
