package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterpoint.idempotency.examples.appplatform.http.Client.Answer;
import io.counterpoint.idempotency.examples.appplatform.http.Client.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Eventually consistent parts stay within their bounds on an idle service. Each request is sent right after a round, so
 * it waits for the full interval. Of several waits the shortest counts: a slow machine can lengthen some of them, but a
 * pause in the program lengthens all.
 */
@Tag("thorough")
class LagBoundsTest {

    private static final int TIMES = 5;

    @Test
    void everyPartFollowsWithinItsBound() throws Exception {
        try (TestPlatform test = TestPlatform.empty()) {
            List<Lag> lags = new ArrayList<>();
            for (int time = 0; time <= TIMES; time++) {
                test.platform.lags.forget();
                String app = send(
                                test, "/apps", List.of("Idempotency-Key", "app-" + time), Map.of("name", "app " + time))
                        .path("app")
                        .asText();
                send(test, "/executions", List.of(), Map.of("app", app));
                TestPlatform.await(() -> test.platform.isQuiet()
                        && test.platform.lags.now().stream().allMatch(lag -> lag.events() > 0));
                // The first time is a warm-up.
                if (time > 0) {
                    lags.addAll(test.platform.lags.now());
                }
            }
            assertThat(test.platform.lags.now())
                    .hasSize(5)
                    .allSatisfy(part -> assertThat(lags)
                            .filteredOn(lag -> lag.bound().equals(part.bound()))
                            .as(part.bound().part())
                            .hasSize(TIMES)
                            .anyMatch(Lag::holds));
        }
    }

    private static JsonNode send(TestPlatform test, String path, List<String> header, Map<String, Object> body)
            throws Exception {
        Answer answer = test.client.send(test.url(), new Request(path, 1, header, body));
        assertThat(answer.status()).isBetween(200, 299);
        return answer.body();
    }
}
