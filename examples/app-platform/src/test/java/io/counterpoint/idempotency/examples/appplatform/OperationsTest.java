package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterpoint.idempotency.examples.appplatform.http.Client.Answer;
import io.counterpoint.idempotency.examples.appplatform.http.Client.Request;
import io.counterpoint.idempotency.programs.CannotRun;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each operation over HTTP keeps the promises of its policy. */
class OperationsTest {

    private static final String BAD_INPUT = """
            /apps         | {"name":""}                                     | 400
            /apps         | {"nome":"x"}                                    | 400
            /publications | {"app":"x"}                                     | 400
            /publications | {"app":"00000000-0000-0000-0000-000000000000"} | 404
            /databases    | {"app":"00000000-0000-0000-0000-000000000000"} | 404
            /executions   | {"app":"00000000-0000-0000-0000-000000000000"} | 404
            /charges      | {"amount":0}                                    | 400
            /charges      | {"amount":151}                                  | 402
            /nothing      | {"name":"x"}                                    | 404
            /lags         | {"name":"x"}                                    | 405
            """;

    private TestPlatform test;

    @BeforeEach
    void open() throws CannotRun {
        test = TestPlatform.empty();
    }

    @AfterEach
    void close() {
        test.close();
    }

    private Answer send(String path, List<String> header, Map<String, Object> body) throws Exception {
        return test.client.send(test.url(), new Request(path, 1, header, body));
    }

    private List<Answer> sendAtOnce(int times, String path, List<String> header, Map<String, Object> body)
            throws Exception {
        return test.client.send(test.url(), Collections.nCopies(times, new Request(path, 1, header, body)));
    }

    private String createApp(String key) throws Exception {
        return send("/apps", List.of("Idempotency-Key", key), Map.of("name", key))
                .body()
                .path("app")
                .asText();
    }

    @Test
    void createAppRequiresAKeyAndMakesOneAppAndVersionForIt() throws Exception {
        assertThat(send("/apps", List.of(), Map.of("name", "no key")).status()).isEqualTo(400);
        List<Answer> answers = sendAtOnce(10, "/apps", List.of("Idempotency-Key", "k"), Map.of("name", "app"));
        assertThat(answers).extracting(Answer::status).containsOnly(201);
        assertThat(answers).extracting(Answer::body).containsOnly(answers.get(0).body());
        assertThat(answers).filteredOn(Answer::replayed).hasSize(9);
        assertThat(send("/apps", List.of("Idempotency-Key", "k"), Map.of("name", "other"))
                        .status())
                .isEqualTo(422);
        assertThat(test.count("app")).isEqualTo(1);
        assertThat(test.count("app_version")).isEqualTo(1);
    }

    @Test
    @Tag("thorough")
    void sixtyFourCallersPublishOnce() throws Exception {
        Map<String, Object> app = Map.of("app", createApp("k"));
        List<Answer> answers = sendAtOnce(64, "/publications", List.of(), app);
        assertThat(answers).extracting(Answer::status).containsOnly(200);
        assertThat(answers)
                .filteredOn(answer -> answer.body().path("by").asText().equals("this request"))
                .hasSize(1);
        assertThat(test.count("app_policy")).isEqualTo(1);
        assertThat(test.count("transition_history")).isEqualTo(2);
        assertThat(test.one("SELECT status FROM app")).isEqualTo("published");
        assertThat(test.count("app WHERE updated_at >= (SELECT max(moved_at) FROM transition_history)"))
                .isEqualTo(1);
    }

    @Test
    void databaseIsProvisionedOnce() throws Exception {
        Map<String, Object> app = Map.of("app", createApp("k"));
        List<Answer> answers = sendAtOnce(16, "/databases", List.of(), app);
        assertThat(answers).extracting(Answer::status).containsOnly(200);
        assertThat(answers)
                .filteredOn(answer -> answer.body().path("by").asText().equals("this request"))
                .hasSize(1);
        assertThat(test.one("SELECT database_status FROM app")).isEqualTo("ready");
        assertThat(test.count("transition_history")).isEqualTo(3);
    }

    @Test
    void executionIsProtectedWithARequestIdAndNotWithout() throws Exception {
        Map<String, Object> app = Map.of("app", createApp("k"));
        List<Answer> with = sendAtOnce(5, "/executions", List.of("X-Request-Id", "r"), app);
        assertThat(with).extracting(Answer::status).containsOnly(202);
        assertThat(test.count("execution")).isEqualTo(1);
        List<Answer> without = sendAtOnce(5, "/executions", List.of(), app);
        assertThat(without).extracting(Answer::status).containsOnly(202);
        assertThat(test.count("execution")).isEqualTo(6);
        assertThat(test.count("execution_log WHERE line = 0")).isEqualTo(6);
        TestPlatform.await(test.platform::isQuiet);
        assertThat(test.count("execution_result")).isEqualTo(6);
        assertThat(test.count("execution WHERE status = 'succeeded'")).isEqualTo(6);
    }

    @Test
    @Tag("thorough")
    void sixtyFourChargersNeverChargeTwiceAndNeverBelowZero() throws Exception {
        List<Request> requests = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            requests.addAll(Collections.nCopies(
                    3, new Request("/charges", 1, List.of("Transaction-Id", "t" + i), Map.of("amount", 4))));
        }
        List<Answer> answers = test.client.send(test.url(), requests);
        // 150 is enough for 37 charges of 4, and leaves 2.
        assertThat(answers).extracting(Answer::status).containsOnly(201, 402);
        assertThat(answers).filteredOn(Answer::isThere).hasSize(37 * 3);
        assertThat(test.count("charge")).isEqualTo(37);
        assertThat(test.count("(SELECT DISTINCT transaction_id FROM charge) one"))
                .isEqualTo(37);
        assertThat(test.one("SELECT quota_left FROM workspace")).isEqualTo("2");
        assertThat(send("/charges", List.of(), Map.of("amount", 1)).status()).isEqualTo(400);
    }

    @Test
    void badInputChangesNothingAndUsesUpNoKey() throws Exception {
        for (String line : BAD_INPUT.lines().toList()) {
            String[] cells = line.split("\\s*\\|\\s*", -1);
            assertRefused(cells[0], cells[1], Integer.parseInt(cells[2]));
        }
        assertThat(send("/apps", List.of("Idempotency-Key", "k"), Map.of("name", "corrected")))
                .matches(answer -> answer.status() == 201 && !answer.replayed());
        assertThat(send("/charges", List.of("Transaction-Id", "k"), Map.of("amount", 1)))
                .matches(answer -> answer.status() == 201 && !answer.replayed());
    }

    private void assertRefused(String path, String body, int status) throws Exception {
        Map<String, Object> parsed = new ObjectMapper().readValue(body, new TypeReference<>() {});
        for (int tries = 0; tries < 2; tries++) {
            Answer answer = send(path, List.of("Idempotency-Key", "k", "Transaction-Id", "k"), parsed);
            assertThat(answer.status()).isEqualTo(status);
            assertThat(answer.body().path("title").asText()).isNotEmpty();
        }
        assertThat(test.count("app")
                        + test.count("execution")
                        + test.count("charge")
                        + test.count("idempotency_record WHERE operation NOT IN ('search', 'usage')"))
                .isZero();
    }
}
