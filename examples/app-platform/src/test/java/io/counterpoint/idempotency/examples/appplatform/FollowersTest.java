package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.examples.appplatform.http.Client.Answer;
import io.counterpoint.idempotency.examples.appplatform.http.Client.Request;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Eventually consistent parts apply every change, once, and never go back to an earlier version. */
@Tag("thorough")
class FollowersTest {

    @Test
    void nothingIsLostOrAppliedTwiceUnderLoad() throws Exception {
        try (TestPlatform test = TestPlatform.empty()) {
            assertThat(load(test, 20, 40)).hasSize(20);
            TestPlatform.await(test.platform::isQuiet);
            assertThat(test.count("execution_log")).isEqualTo(40 * 4);
            test.platform.lags.forget();
            assertThat(load(test, 30, 110)).hasSize(30);
            TestPlatform.await(test.platform::isQuiet);
            assertThat(test.count("execution_log")).isEqualTo(600);
            // A worker stores its measurements after it has written the lines.
            TestPlatform.await(() -> test.platform.lags.now().stream().allMatch(lag -> lag.events() > 0));

            test.platform
                    .lags
                    .now()
                    .forEach(lag -> System.out.printf(
                            "%s: %d followed, behind by at most %d ms of %d ms%n",
                            lag.bound().part(),
                            lag.events(),
                            lag.worst().toMillis(),
                            lag.bound().lag().toMillis()));
            // The bounds are for an idle machine; this one may be slow.
            assertThat(test.platform.lags.now()).allMatch(lag -> lag.isWithin(10));
            assertThat(test.one("SELECT sum(executions) FROM usage_window")).isEqualTo("150");
            assertThat(test.count("app WHERE " + SearchIndex.WRONG)).isZero();
            assertThat(test.client
                            .get(test.url() + "/search?q=APP%2030-7", 1, List.of())
                            .path("apps"))
                    .hasSize(1);
            assertThat(test.client.get(test.url() + "/lags", 1, List.of())).hasSize(5);
        }
    }

    /** Creates apps, and triggers executions of them. */
    private static List<Answer> load(TestPlatform test, int number, int executions) throws Exception {
        List<Answer> apps = test.client.send(
                test.url(),
                IntStream.range(0, number)
                        .mapToObj(i -> new Request(
                                "/apps",
                                1,
                                List.of("Idempotency-Key", number + "-" + i),
                                Map.of("name", "app " + number + "-" + i)))
                        .toList());
        List<Answer> triggered = test.client.send(
                test.url(),
                IntStream.range(0, executions)
                        .mapToObj(i -> new Request(
                                "/executions",
                                1,
                                List.of(),
                                Map.of(
                                        "app",
                                        apps.get(i % number).body().path("app").asText())))
                        .toList());
        assertThat(triggered).extracting(Answer::status).containsOnly(202);
        return apps;
    }
}
