package io.counterpoint.idempotency.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.http.ProblemType;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParserFactory;

/** What springdoc says of the shop's operations. */
class OpenApiTest {

    private static Map<String, Object> api;

    @BeforeAll
    static void read() throws Exception {
        api = JsonParserFactory.getJsonParser()
                .parseMap(StartedShop.get("/v3/api-docs").body());
    }

    /** A member, or an empty object. */
    private static Map<?, ?> at(Object object, String... names) {
        Object found = object;
        for (String name : names) {
            found = ((Map<?, ?>) found).containsKey(name) ? ((Map<?, ?>) found).get(name) : Map.of();
        }
        return (Map<?, ?>) found;
    }

    private static Map<?, ?> operation(String path, String method) {
        Map<?, ?> operation = at(api, "paths", path, method);
        assertThat(operation).as(path).isNotEmpty();
        return operation;
    }

    /** Whether the key is required; empty if it is no parameter. */
    private static List<Object> keys(Map<?, ?> operation) {
        return operation.get("parameters") instanceof List<?> parameters
                ? parameters.stream()
                        .map(parameter -> (Map<?, ?>) parameter)
                        .filter(parameter -> "Idempotency-Key".equals(parameter.get("name")))
                        .map(parameter -> (Object) Boolean.TRUE.equals(parameter.get("required")))
                        .toList()
                : List.of();
    }

    @Test
    void keyIsAParameterAsTheFilterTakesIt() {
        assertThat(keys(operation("/purchases", "post"))).containsExactly(true);
        assertThat(keys(operation("/optional/purchases", "post"))).containsExactly(false);
        assertThat(keys(operation("/traced/renamed", "delete"))).containsExactly(false);
        assertThat(keys(operation("/traced/renamed", "get"))).isEmpty();
        assertThat(keys(operation("/renamed", "put"))).isEmpty();
        assertThat(keys(operation("/named/item", "post"))).isEmpty();
        assertThat(at(operation("/named/item", "post"), "responses", "409")).isEmpty();
    }

    @Test
    void annotatedEndpointRequiresItsKeyThoughTheFilterDoesNot() {
        assertThat(keys(operation("/annotated", "post"))).containsExactly(true);
    }

    @Test
    void problemsOfTheRouteAreResponses() {
        Map<?, ?> responses = at(operation("/purchases", "post"), "responses");

        assertThat(new TreeSet<>(
                        responses.keySet().stream().map(String::valueOf).toList()))
                .containsExactly("201", "400", "401", "409", "413", "422", "500", "503");
        for (ProblemType type : List.of(ProblemType.KEY_MISSING, ProblemType.REQUEST_OUTSTANDING)) {
            Map<?, ?> response = at(responses, String.valueOf(type.status()));
            assertThat(response.get("description")).asString().contains(type.slug() + ": " + type.title());
            assertThat(at(response, "content", "application/problem+json", "schema")
                            .get("$ref"))
                    .isEqualTo("#/components/schemas/IdempotencyProblem");
        }
        assertThat(at(responses, "409", "headers").containsKey("Retry-After")).isTrue();
        assertThat(at(responses, "422", "headers").containsKey("Retry-After")).isFalse();
    }

    @Test
    void answersTellReplayAndLifetime() {
        Map<?, ?> responses = at(operation("/purchases", "post"), "responses");

        assertThat(at(responses, "201", "headers", "Idempotent-Replayed", "schema")
                        .get("type"))
                .isEqualTo("string");
        assertThat(at(responses, "409", "headers").containsKey("Idempotent-Replayed"))
                .isFalse();
        for (String status : List.of("201", "409")) {
            assertThat(at(responses, status, "headers", "Idempotency-Key-Lifetime", "schema")
                            .get("type"))
                    .isEqualTo("integer");
        }
    }

    @Test
    void schemaHasTheMembersOfAProblem() throws Exception {
        Map<?, ?> properties = at(api, "components", "schemas", "IdempotencyProblem", "properties");
        Map<String, Object> problem = JsonParserFactory.getJsonParser()
                .parseMap(StartedShop.post("ann", "/purchases", "", "{}").body());

        assertThat(properties.keySet().stream().map(String::valueOf))
                .containsAll(problem.keySet())
                .contains("failure", "failureMessage");
        problem.forEach((name, value) -> assertThat(at(properties, name).get("type"))
                .as(name)
                .isEqualTo(value instanceof Boolean ? "boolean" : value instanceof Number ? "integer" : "string"));
    }
}
