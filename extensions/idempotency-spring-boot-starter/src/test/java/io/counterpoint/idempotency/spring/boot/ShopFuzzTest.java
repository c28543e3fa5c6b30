package io.counterpoint.idempotency.spring.boot;

import static io.counterpoint.idempotency.spring.boot.StartedShop.get;
import static io.counterpoint.idempotency.spring.boot.StartedShop.post;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Hostile values in bodies, in the key's header and at the endpoints for operators have an answer that blames the client. */
@Tag("thorough")
@Timeout(120)
class ShopFuzzTest {

    private static final int REQUESTS = 200;
    private static final List<String> NUMBERS =
            List.of("0", "-0.0", "1e2000", "1e-2000", "1e999999999", "-1e-999999999", "9".repeat(900), "0.1", "null");
    private static final List<String> TEXTS = List.of(
            "",
            " ",
            "\\u0000",
            "\\n",
            "\\ud83d",
            "\\udc00x",
            "\\u200b",
            "\\u2028",
            "\\u202e",
            "null",
            "#id",
            "${x}",
            "'",
            "a/../b",
            "\\ud83e\\udee0");

    private final Random random = new Random(20_261_126);

    private String text() {
        StringBuilder text = new StringBuilder();
        for (int parts = random.nextInt(4); parts >= 0; parts--) {
            String part = TEXTS.get(random.nextInt(TEXTS.size()));
            text.append(random.nextInt(6) == 0 ? "x".repeat(random.nextInt(400)) : part);
        }
        return text.toString();
    }

    private String number() {
        return NUMBERS.get(random.nextInt(NUMBERS.size()));
    }

    @Test
    void bodiesAreCarriedOutOrRefused() throws Exception {
        for (int request = 0; request < REQUESTS; request++) {
            String body = "{\"id\":\"" + text() + "\",\"item\":\"" + text() + "\",\"price\":" + number() + "}";
            HttpResponse<String> answer = post("ann", "/priced", "", body);
            assertThat(answer.statusCode()).as(body).isIn(200, 400, 422);
            assertThat(answer.body()).as(body).doesNotContain("Exception", "\tat ");
        }
    }

    @Test
    void operatorsAreAnsweredOrRefused() throws Exception {
        for (int request = 0; request < REQUESTS; request++) {
            String value = text().replace("\\", "") + number();
            String encoded = URLEncoder.encode(value, StandardCharsets.UTF_8);
            assertThat(get("/actuator/idempotency?unchangedFor=" + encoded).statusCode())
                    .as(value)
                    .isIn(200, 400);
            assertThat(get("/actuator/idempotency/" + encoded).statusCode())
                    .as(value)
                    .isIn(400, 404);
            String resolution =
                    "{\"outcome\":\"" + text() + "\",\"reason\":\"" + text() + "\",\"result\":" + number() + "}";
            assertThat(post("ann", "/actuator/idempotency/" + "0".repeat(16), "", resolution)
                            .statusCode())
                    .as(resolution)
                    .isIn(400, 404);
        }
    }
}
