package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The page kills, cuts off and pauses leaders. What is left is counted in the tables. */
@Tag("thorough")
class PageKeyLifeTest {

    private static TestPage test;

    @BeforeAll
    static void open() throws Exception {
        test = new TestPage(false);
    }

    @AfterAll
    static void close() {
        test.close();
    }

    @Test
    void killedLeaderLeavesNothingAndAWaitingCallerTakesTheKeyOver() throws Exception {
        JsonNode led = lead("before_commit", "take_over");
        assertThat(state(led)).isEqualTo("pending");
        assertThat(test.count("chat_group")).isEqualTo(groupsBefore);
        JsonNode killed = test.act("kill");
        assertThat(state(killed)).isEqualTo("pending");
        assertThat(killed.path("record").path("leaderSession").asText()).isEqualTo("none");

        JsonNode answers = test.act("ask-again", "callers", 2, "wait", true);
        assertThat(answers.path("answers").findValuesAsText("outcome"))
                .containsExactlyInAnyOrder("executed", "replayed");
        assertThat(answers.path("answers").findValuesAsText("tookOver")).contains("true");
        assertThat(state(answers)).isEqualTo("succeeded");
        assertThat(token(answers)).isNotEqualTo(token(led));
        assertThat(test.count("chat_group")).isEqualTo(groupsBefore + 1);
    }

    @Test
    @Tag("matrix")
    void leaderKilledAfterItsCommitHasLeftItsAnswer() throws Exception {
        JsonNode led = lead("after_commit", "take_over");
        assertThat(state(led)).isEqualTo("succeeded");
        assertThat(state(test.act("kill"))).isEqualTo("succeeded");
        assertThat(outcome()).isEqualTo("replayed");
        assertThat(test.count("chat_group")).isEqualTo(groupsBefore + 1);
        assertThat(test.post("kill").statusCode()).isEqualTo(409);
    }

    @Test
    void leaderCutBeforeItsCommitRunsAgainUnderAFreshToken() throws Exception {
        JsonNode led = lead("before_commit", "take_over");
        JsonNode cut = test.act("cut-at-commit", "at", "before");
        assertThat(state(cut)).isEqualTo("succeeded");
        assertThat(token(cut)).isNotEqualTo(token(led));
        assertThat(outcome()).isEqualTo("replayed");
        assertThat(test.count("chat_group")).isEqualTo(groupsBefore + 1);
    }

    @Test
    @Tag("matrix")
    void leaderCutAfterItsCommitFindsItsSuccessAndRunsNothingAgain() throws Exception {
        JsonNode led = lead("before_commit", "take_over");
        JsonNode cut = test.act("cut-at-commit", "at", "after");
        assertThat(state(cut)).isEqualTo("succeeded");
        assertThat(token(cut)).isEqualTo(token(led));
        assertThat(outcome()).isEqualTo("replayed");
        assertThat(test.count("chat_group")).isEqualTo(groupsBefore + 1);
    }

    @Test
    void pausedLeaderKeepsItsKeyUntilItsConnectionIsLostAndThenStandsDown() throws Exception {
        lead("claimed", "take_over");
        JsonNode paused = test.act("pause");
        assertThat(paused.path("record").path("ageMillis").asLong()).isGreaterThan(TimeUnit.SECONDS.toMillis(2));
        assertThat(outcome()).as("older than the grace, and locked").isEqualTo("in progress");
        assertThat(test.count("chat_group")).isEqualTo(groupsBefore);

        test.act("cut");
        assertThat(outcome()).isEqualTo("executed");
        assertThat(test.count("chat_group")).isEqualTo(groupsBefore + 1);
        assertThat(state(test.act("go-on"))).isEqualTo("succeeded");
        assertThat(test.count("chat_group")).as("the old leader added nothing").isEqualTo(groupsBefore + 1);
    }

    private long groupsBefore;

    private JsonNode lead(String step, String abandoned) throws Exception {
        groupsBefore = test.count("chat_group");
        return test.act("lead", "step", step, "abandoned", abandoned);
    }

    private static String outcome() throws Exception {
        return test.act("ask-again", "callers", 1, "wait", false)
                .path("answers")
                .path(0)
                .path("outcome")
                .asText();
    }

    private static String state(JsonNode answer) {
        return answer.path("record").path("state").asText();
    }

    private static String token(JsonNode answer) {
        return answer.path("record").path("token").asText();
    }
}
