package io.counterpoint.idempotency.examples.springboot;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The application as it starts, over a real socket. */
class ApplicationTest {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private static ConfigurableApplicationContext application;

    private Controllers controllers;

    @BeforeAll
    static void start() {
        application = SpringApplication.run(
                Application.class, "--server.port=0", "--spring.main.banner-mode=off", "--logging.level.root=ERROR");
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @BeforeEach
    void begin() {
        controllers = application.getBean(Controllers.class);
        controllers.effects.clear();
    }

    private static HttpResponse<String> post(String path, String key, String json) throws Exception {
        String port = application.getEnvironment().getProperty("local.server.port");
        return CLIENT.send(
                HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                        .header("Content-Type", "application/json")
                        .header("Idempotency-Key", key)
                        .POST(HttpRequest.BodyPublishers.ofString(json))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static boolean isReplay(HttpResponse<String> response) {
        return response.headers().firstValue("Idempotent-Replayed").isPresent();
    }

    @Test
    void useCaseReadsItsRequestBodyAndRunsOnce() throws Exception {
        HttpResponse<String> first = post("/groups", "g-1", "{\"name\":\"friends\"}");
        HttpResponse<String> retry = post("/groups", "g-1", "{\"name\":\"friends\"}");

        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(first.body()).isEqualTo("{\"id\":\"group-of-friends\"}");
        assertThat(isReplay(first)).isFalse();
        assertThat(retry.statusCode()).isEqualTo(201);
        assertThat(retry.body()).isEqualTo(first.body());
        assertThat(isReplay(retry)).isTrue();
        assertThat(controllers.effects).containsExactly("friends");
    }

    @Test
    void libraryExceptionsAreProblemsDespiteAHandlerForAll() throws Exception {
        post("/groups", "g-2", "{\"name\":\"friends\"}");
        HttpResponse<String> reused = post("/groups", "g-2", "{\"name\":\"family\"}");

        assertThat(reused.statusCode()).isEqualTo(422);
        assertThat(reused.body()).contains("#key-reused");
        assertThat(controllers.effects).containsExactly("friends");
    }

    @Test
    void responseOfAHandlerWithARequestBodyIsReplayed() throws Exception {
        HttpResponse<String> first = post("/payments", "p-1", "{\"to\":\"ann\",\"cents\":5}");
        HttpResponse<String> retry = post("/payments", "p-1", "{\"to\":\"ann\",\"cents\":5}");

        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(retry.statusCode()).isEqualTo(201);
        assertThat(retry.body()).isEqualTo(first.body()).isEqualTo("{\"id\":\"payment-to-ann\"}");
        assertThat(isReplay(retry)).isTrue();
        assertThat(controllers.effects).containsExactly("ann");
    }

    @Test
    void serverErrorIsNotStoredAndTheHandlerDoesNotRunAgain() throws Exception {
        HttpResponse<String> first = post("/payments", "p-2", "{\"to\":\"nobody\",\"cents\":5}");
        HttpResponse<String> retry = post("/payments", "p-2", "{\"to\":\"nobody\",\"cents\":5}");

        assertThat(first.statusCode()).isEqualTo(500);
        assertThat(first.body()).isEqualTo("Sorry.");
        assertThat(retry.statusCode()).isEqualTo(409);
        assertThat(retry.body()).contains("#request-outstanding").doesNotContain("Sorry.");
        assertThat(controllers.effects).containsExactly("nobody");
    }

    @Test
    void refusalOfAWrongRequestUsesUpNoKey() throws Exception {
        assertThat(post("/payments", "p-3", "{\"to\":\"ann\",\"cents\":0}").statusCode())
                .isEqualTo(400);
        assertThat(post("/payments", "p-3", "{\"to\":\"ann\",\"cents\":5}").statusCode())
                .isEqualTo(201);
    }

    @Test
    void answerOfAnotherThreadIsReplayed() throws Exception {
        HttpResponse<String> first = post("/payments/later", "p-4", "{\"to\":\"ann\",\"cents\":5}");
        HttpResponse<String> retry;
        do {
            retry = post("/payments/later", "p-4", "{\"to\":\"ann\",\"cents\":5}");
        } while (retry.statusCode() == 409);

        assertThat(first.body()).isEqualTo("{\"id\":\"payment-to-ann\"}");
        assertThat(retry.body()).isEqualTo(first.body());
        assertThat(isReplay(retry)).isTrue();
        assertThat(controllers.effects).containsExactly("ann");
    }
}
