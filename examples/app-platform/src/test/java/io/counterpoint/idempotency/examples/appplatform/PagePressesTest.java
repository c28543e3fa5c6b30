package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many callers press the page's button. The results are counted in the tables. */
@Tag("thorough")
class PagePressesTest {

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
    void everyCallerGetsOneAppWithAKeyAndOneForEachPressWithout() throws Exception {
        JsonNode answer = test.act("press", "callers", 20, "lost", 50, "oneApp", false);
        assertThat(apps(answer, "protected")).isEqualTo(20);
        assertThat(answer.path("protected").path("effects").asLong()).isEqualTo(20);
        assertThat(answer.path("protected").path("answered").asLong()).isEqualTo(20);
        assertThat(answer.path("protected").path("lost").asLong()).isPositive();

        JsonNode without = answer.path("unprotected");
        assertThat(without.path("lost").asLong()).isPositive();
        assertThat(apps(answer, "unprotected"))
                .isEqualTo(without.path("sent").asLong())
                .isEqualTo(without.path("effects").asLong())
                .isEqualTo(20 + without.path("lost").asLong());
    }

    @Test
    void everybodyWhoWantsTheSameAppGetsIt() throws Exception {
        JsonNode answer = test.act("press", "callers", 20, "lost", 30, "oneApp", true);
        assertThat(apps(answer, "protected")).isOne();
        assertThat(answer.path("protected").path("answered").asLong()).isEqualTo(20);
        assertThat(answer.path("protected").path("differentAnswers").asLong()).isOne();
        assertThat(apps(answer, "unprotected")).isGreaterThanOrEqualTo(20);
        assertThat(answer.path("unprotected").path("differentAnswers").asLong()).isEqualTo(20);
    }

    @Test
    void numbersThatAreNotOfferedAreRefused() throws Exception {
        long before = test.count("app");
        assertThat(test.post("press", "callers", 100_000, "lost", 50, "oneApp", false)
                        .statusCode())
                .isEqualTo(400);
        assertThat(test.post("press", "callers", 1, "lost", "all", "oneApp", false)
                        .statusCode())
                .isEqualTo(400);
        assertThat(test.post("press").statusCode()).isEqualTo(400);
        assertThat(test.count("app")).isEqualTo(before);
    }

    private static long apps(JsonNode answer, String mode) {
        return test.count("app WHERE name LIKE 'pressed " + answer.path("run").asText() + " " + mode + " %'");
    }
}
