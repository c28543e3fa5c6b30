package io.counterpoint.idempotency.spring.boot;

import static io.counterpoint.idempotency.spring.boot.StartedShop.bean;
import static io.counterpoint.idempotency.spring.boot.StartedShop.post;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.servlet.Problems;
import io.counterpoint.idempotency.spring.boot.shop.Orders;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The filter, its problems and the scope from the principal, over a socket. */
class ShopOverHttpTest {

    private static boolean isReplay(HttpResponse<String> response) {
        return response.headers().firstValue("Idempotent-Replayed").isPresent();
    }

    @Test
    void retryWithTheHeaderIsReplayed() throws Exception {
        HttpResponse<String> first = post("ann", "/purchases", "\"h-1\"", "{\"name\":\"jam\"}");
        HttpResponse<String> retry = post("ann", "/purchases", "\"h-1\"", "{\"name\":\"jam\"}");

        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(retry.statusCode()).isEqualTo(201);
        assertThat(retry.body()).isEqualTo(first.body()).contains("jam");
        assertThat(isReplay(first)).isFalse();
        assertThat(isReplay(retry)).isTrue();
        assertThat(retry.headers().firstValue("Idempotency-Key-Lifetime")).hasValue("43200");
        assertThat(bean(Orders.class).count("jam")).isEqualTo(1);
    }

    /** Spring Boot opens a session for each web request, and Spring Data loads the entity of a path in it. */
    @Test
    void entityThatTheRequestHasLoadedIsChangedAndWritten() throws Exception {
        String bought =
                post("ann", "/purchases", "\"h-20\"", "{\"name\":\"old name\"}").body();
        String path = "/renamed/" + bought.replaceFirst(".*\"id\":(\\d+).*", "$1");
        for (int calls = 0; calls < 2; calls++) {
            HttpResponse<String> response = post("ann", path, "\"h-21\"", "{\"name\":\"new name\"}");

            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.body()).isEqualTo("new name, read again: new name");
        }
        assertThat(bean(Orders.class).count("old name")).isZero();
        assertThat(bean(Orders.class).count("new name")).isEqualTo(1);
    }

    @Test
    void secondCallWithTheAttemptOfARequestIsRefusedAndNotDropped() throws Exception {
        for (int tries = 1; tries <= 2; tries++) {
            HttpResponse<String> response = post("ann", "/purchases/two", "\"h-7\"", "{\"name\":\"bread\"}");

            assertThat(response.statusCode()).isEqualTo(500);
            assertThat(bean(Orders.class).count("bread")).isEqualTo(1);
            assertThat(bean(Orders.class).count("more bread")).isZero();
        }
    }

    @Test
    void partsOfARequestHaveKeysOfTheirOwn() throws Exception {
        HttpResponse<String> first = post("ann", "/purchases/parts", "\"h-8\"", "{\"name\":\"plums\"}");
        HttpResponse<String> retry = post("ann", "/purchases/parts", "\"h-8\"", "{\"name\":\"plums\"}");

        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(retry.body()).isEqualTo(first.body());
        assertThat(isReplay(retry)).isTrue();
        assertThat(bean(Orders.class).count("plums")).isEqualTo(2);
        assertThat(post("ann", "/purchases/unnamed-parts", "\"h-9\"", "{\"name\":\"plums\"}")
                        .statusCode())
                .isEqualTo(400);
        assertThat(bean(Orders.class).count("plums")).isEqualTo(2);
    }

    @Test
    void principalIsTheScope() throws Exception {
        HttpResponse<String> anns = post("ann", "/purchases", "\"h-2\"", "{\"name\":\"honey\"}");
        HttpResponse<String> bobs = post("bob", "/purchases", "\"h-2\"", "{\"name\":\"honey\"}");

        assertThat(anns.statusCode()).isEqualTo(201);
        assertThat(bobs.statusCode()).isEqualTo(201);
        assertThat(bobs.body()).isNotEqualTo(anns.body());
    }

    @Test
    void requiredKeyIsMissedAndAnotherRequestIsRefused() throws Exception {
        assertThat(post("ann", "/purchases", "", "{\"name\":\"jam\"}").statusCode())
                .isEqualTo(400);

        post("ann", "/purchases", "\"h-3\"", "{\"name\":\"salt\"}");
        HttpResponse<String> reused = post("ann", "/purchases", "\"h-3\"", "{\"name\":\"pepper\"}");
        assertThat(reused.statusCode()).isEqualTo(422);
        assertThat(reused.body()).contains("#key-reused");
    }

    @Test
    void methodThatTakesTheKeyOfTheRequestMissesItWhereTheRouteRequiresNone() throws Exception {
        HttpResponse<String> response = post("ann", "/optional/purchases", "", "{\"name\":\"figs\"}");

        assertThat(response.statusCode()).isEqualTo(400);
        assertIsProblem(response, "key-missing");
        assertThat(response.body()).contains("\"retryable\":false");
        assertThat(bean(Orders.class).count("figs")).isZero();
    }

    @Test
    void methodThatTakesTheKeyOfTheRequestIsNotStartedWhereTheFilterHasNotReadIt() throws Exception {
        HttpResponse<String> response =
                StartedShop.form("PUT", "/renamed", "Idempotency-Key", "\"unread\"", "name=lime");

        assertThat(response.statusCode()).isEqualTo(500);
        assertIsProblem(response, "not-started");
        assertThat(bean(Orders.class).count("lime")).isZero();
    }

    @Test
    void anonymousCallersAreRefusedByTheFilterAndByTheAnnotation() throws Exception {
        assertThat(post("", "/purchases", "\"h-4\"", "{\"name\":\"jam\"}").statusCode())
                .isEqualTo(401);

        HttpResponse<String> byFilter = post("", "/open/purchases", "\"h-4\"", "{\"name\":\"jam\"}");
        assertThat(byFilter.statusCode()).isEqualTo(401);
        assertThat(byFilter.body()).contains("#caller-unknown");

        HttpResponse<String> byAnnotation = post("", "/open/orders", "", "{\"id\":\"h-5\",\"item\":\"nuts\"}");
        assertThat(byAnnotation.statusCode()).isEqualTo(401);
        assertIsProblem(byAnnotation, "caller-unknown");
        assertThat(bean(Orders.class).count("nuts")).isZero();
    }

    @Test
    void keyInTheBodyNeedsNoHeaderAndItsRefusalIsAProblemToo() throws Exception {
        HttpResponse<String> first = post("ann", "/orders", "", "{\"id\":\"h-6\",\"item\":\"rice\"}");
        HttpResponse<String> retry = post("ann", "/orders", "", "{\"id\":\"h-6\",\"item\":\"rice\"}");
        HttpResponse<String> reused = post("ann", "/orders", "", "{\"id\":\"h-6\",\"item\":\"peas\"}");

        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(retry.body()).isEqualTo(first.body());
        assertThat(reused.statusCode()).isEqualTo(422);
        assertIsProblem(reused, "key-reused");
        assertThat(bean(Orders.class).count("rice")).isEqualTo(1);
    }

    @Test
    void keyThatIsMissingInTheBodyIsAProblem() throws Exception {
        HttpResponse<String> response = post("ann", "/orders", "", "{\"item\":\"corn\"}");

        assertThat(response.statusCode()).isEqualTo(400);
        assertIsProblem(response, "request-malformed");
        assertThat(bean(Orders.class).count("corn")).isZero();
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = """
            ' ';         key-invalid
            '';          key-invalid
            a\\nb;     key-invalid
            \\ud83d;   key-invalid
            LONG;        key-invalid
            """)
    void keyOfTheBodyThatNoKeyCanBeIsAProblem(String id, String type) throws Exception {
        String body = "{\"id\":\"" + id.replace("LONG", "x".repeat(300)) + "\",\"item\":\"kale\"}";

        HttpResponse<String> response = post("ann", "/orders", "", body);

        assertThat(response.statusCode()).isEqualTo(400);
        assertIsProblem(response, type);
        assertThat(bean(Orders.class).count("kale")).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"price\":1e2000", "\"item\":\"\\ud83d\""})
    void requestOfTheBodyThatCannotBeComparedIsAProblem(String part) throws Exception {
        HttpResponse<String> response = post("ann", "/priced", "", "{\"id\":\"h-7\"," + part + "}");

        assertThat(response.statusCode()).isEqualTo(400);
        assertIsProblem(response, "request-malformed");
    }

    @ParameterizedTest
    @CsvSource({
        "PATCH, /renamed, Idempotency-Key",
        "POST, /traced/renamed, X-Request-Id",
        "PATCH, /traced/renamed, X-Request-Id",
        "PUT, /traced/renamed, X-Request-Id",
        "DELETE, /traced/renamed, Idempotency-Key"
    })
    void formWithAKeyHasItsFieldsAndIsComparedWithItsRetry(String method, String path, String header) throws Exception {
        String key = "form-" + method + header;
        HttpResponse<String> first = StartedShop.form(method, path, header, key, "name=" + key);
        HttpResponse<String> retry = StartedShop.form(method, path, header, key, "name=" + key);

        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(retry.body()).isEqualTo(first.body());
        assertThat(StartedShop.form(method, path, header, key, "name=beet").body())
                .contains("#key-reused");
        assertThat(bean(Orders.class).count(key)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"POST, /named/item", "PATCH, /named/item", "PUT, /unkeyed", "DELETE, /unkeyed"})
    void formHasItsFieldsWhereTheFilterDoesNotTakeItsKey(String method, String path) throws Exception {
        HttpResponse<String> response = StartedShop.form(method, path, "Idempotency-Key", "\"unused\"", "name=leek");

        assertThat(response.body()).isEqualTo("{\"name\":\"leek\"}");
    }

    /** Spring Boot takes files of 1 MB unless told otherwise. */
    @Test
    void largestUploadOfTheApplicationHoldsWithAKeyToo() throws Exception {
        String upload = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n"
                + "x".repeat(1_500_000) + "\r\n--b--\r\n";

        HttpResponse<String> response = StartedShop.upload("ann", "/forgotten", "\"h-8\"", upload, "b");

        assertThat(response.statusCode()).isEqualTo(413);
        assertIsProblem(response, "body-too-large");
        assertThat(response.body()).contains("The body exceeds 1048576 bytes");
    }

    @Test
    void retryableProblemSaysWhenToAskAgainDespiteAHandlerForAll() throws Exception {
        HttpResponse<String> response = post("ann", "/unavailable", "", "{}");

        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.headers().firstValue("Retry-After")).contains("1");
    }

    /** One that takes a bad request for final would lose the outcome. */
    @ParameterizedTest
    @ValueSource(strings = {"/counter/own", "/wrapped"})
    void handlerForAllExceptionsOfTheControllerDoesNotAnswer(String path) throws Exception {
        HttpResponse<String> response = post("ann", path, "", "{}");

        assertThat(response.statusCode()).isEqualTo(503);
        assertIsProblem(response, "store-unavailable");
    }

    @Test
    void handlerThatNamesTheLibrarysExceptionAnswers() throws Exception {
        HttpResponse<String> response = post("ann", "/counter/naming", "", "{}");

        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(response.body()).isEqualTo("mine");
    }

    private static void assertIsProblem(HttpResponse<String> response, String type) {
        assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(response.headers().firstValue("Link")).contains("<" + Problems.PAGE + ">; rel=\"describedby\"");
        assertThat(response.body()).contains("\"type\":\"" + Problems.PAGE + "#" + type + "\"", "\"instance\":");
    }
}
