package io.counterpoint.idempotency.examples.springboot;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.Curl;
import java.net.http.HttpResponse;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Bad input is rejected before its key is claimed: the response says what was expected, and the corrected request can
 * use the same key.
 */
@Tag("thorough")
class BadInputTest {

    private static ConfigurableApplicationContext application;

    @BeforeAll
    static void start() {
        application = Application.start(
                "--spring.profiles.active=h2",
                "--spring.datasource.url=jdbc:h2:mem:bad-input;DB_CLOSE_DELAY=-1",
                "--server.port=0",
                "--spring.main.banner-mode=off",
                "--logging.level.root=OFF");
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    private static HttpResponse<String> post(String path, String key, String body) throws Exception {
        String port = String.valueOf(application.getEnvironment().getProperty("local.server.port"));
        return Curl.send(
                "curl -u ann:ann -H 'Idempotency-Key: \"" + key + "\"' -H 'Content-Type: application/json' -d '"
                        + body.replace("LONG", "x".repeat(101)).replace("DEEP", "[".repeat(2_000))
                        + "' http://localhost:8080" + path,
                port);
    }

    private static void assertRefused(HttpResponse<String> answer, int status) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(answer.body()).contains("\"detail\":").doesNotContain("Exception", "counterpoint", "jackson");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {}
            []
            {
            {"name":null}
            {"name":" "}
            {"name":1}
            {"name":["x"]}
            {"name":"x","nome":"y"}
            {"name":"x","name":"y"}
            {"name":"x"} {}
            {"name":"a\\u0000b"}
            {"name":"a\\ud800b"}
            {"name":"LONG"}
            {"name":DEEP
            """)
    void groupThatCannotBeUsesUpNoKey(String body) throws Exception {
        String key = UUID.randomUUID().toString();
        for (int tries = 0; tries < 2; tries++) {
            assertRefused(post("/groups", key, body), 400);
        }
        HttpResponse<String> corrected = post("/groups", key, "{\"name\":\"Friends\"}");
        assertThat(corrected.statusCode()).isEqualTo(201);
        assertThat(corrected.headers().firstValue("Idempotent-Replayed")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {}
            {"card":"tok_visa"}
            {"card":" ","cents":1250}
            {"card":"tok_visa","cents":0}
            {"card":"tok_visa","cents":12.5}
            """)
    void paymentThatCannotBeUsesUpNoKey(String body) throws Exception {
        String key = UUID.randomUUID().toString();
        assertRefused(post("/payments", key, body), 400);
        assertThat(post("/payments", key, "{\"card\":\"tok_visa\",\"cents\":1250}")
                        .statusCode())
                .isEqualTo(201);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {}                                | 400
            {"messageId":"KEY"}               | 400
            {"messageId":"KEY","groupId":"1"} | 400
            {"messageId":"KEY","groupId":1.5} | 400
            {"messageId":"","groupId":1}      | 400
            {"messageId":"KEY","groupId":0}   | 404
            """)
    void messageThatCannotBeUsesUpNoKey(String body, int status) throws Exception {
        String key = UUID.randomUUID().toString();
        String group = post("/groups", key, "{\"name\":\"Friends\"}").body().replaceAll(".*\"id\":(\\d+).*", "$1");
        for (int tries = 0; tries < 2; tries++) {
            assertRefused(post("/messages", key, body.replace("KEY", key)), status);
        }
        String corrected = "{\"messageId\":\"" + key + "\",\"groupId\":" + group + "}";
        assertThat(post("/messages", key, corrected).statusCode()).isEqualTo(202);
    }
}
