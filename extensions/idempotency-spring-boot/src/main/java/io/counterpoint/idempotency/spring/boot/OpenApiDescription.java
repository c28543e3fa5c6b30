package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.annotation.Idempotent;
import io.counterpoint.idempotency.http.ProblemType;
import io.counterpoint.idempotency.servlet.IdempotencyFilter;
import io.counterpoint.idempotency.servlet.RoutePolicy;
import io.counterpoint.idempotency.spi.Characters;
import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.headers.Header;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.parameters.HeaderParameter;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.responses.ApiResponses;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.springdoc.core.customizers.GlobalOpenApiCustomizer;
import org.springdoc.core.customizers.GlobalOperationCustomizer;
import org.springframework.web.method.HandlerMethod;

/**
 * Adds the header, its problems and the response headers to the operations that a filter protects. The application's
 * own descriptions are kept.
 */
final class OpenApiDescription implements GlobalOpenApiCustomizer, GlobalOperationCustomizer {

    private static final String PROBLEM = "IdempotencyProblem";

    private final List<IdempotencyFilter> filters;

    OpenApiDescription(List<IdempotencyFilter> filters) {
        this.filters = filters;
    }

    /** A method that uses the key of the request fails without one, regardless of the filter's policy. */
    @Override
    public Operation customize(Operation operation, HandlerMethod handler) {
        Idempotent idempotent = handler.getMethodAnnotation(Idempotent.class);
        if (idempotent != null && idempotent.key().startsWith("#attempt")) {
            addKey(operation, true);
        }
        return operation;
    }

    @Override
    public void customise(OpenAPI api) {
        if (api.getPaths() == null) {
            return;
        }
        api.getPaths()
                .forEach((path, item) -> item.readOperationsMap()
                        .forEach((method, operation) -> filters.stream()
                                .flatMap(filter -> filter.policyOf(method.name(), path).stream())
                                .findFirst()
                                .ifPresent(policy -> describe(operation, policy, api))));
    }

    private static void describe(Operation operation, RoutePolicy policy, OpenAPI api) {
        addKey(operation, policy.isRequired());
        if (operation.getResponses() == null) {
            operation.setResponses(new ApiResponses());
        }
        ApiResponses responses = operation.getResponses();
        responses.forEach((status, response) -> {
            if (status.startsWith("2") || status.startsWith("3")) {
                response.addHeaderObject(
                        IdempotencyFilter.REPLAYED,
                        header("string", "True if this response is a replay of an earlier one; otherwise absent."));
            }
        });
        policy.problems().stream()
                .filter(problem -> problem != ProblemType.ANSWER_NOT_KEPT)
                .collect(Collectors.groupingBy(ProblemType::status, TreeMap::new, Collectors.toList()))
                .forEach((status, problems) -> addProblems(responses, status, problems));
        policy.keyLifetime()
                .ifPresent(lifetime -> responses
                        .values()
                        .forEach(response -> response.addHeaderObject(
                                IdempotencyFilter.LIFETIME,
                                header("integer", "How many seconds after its first use a key may be sent again."))));
        addSchema(api);
    }

    private static void addKey(Operation operation, boolean required) {
        boolean there = operation.getParameters() != null
                && operation.getParameters().stream()
                        .anyMatch(one -> "header".equals(one.getIn())
                                && Characters.equalsIgnoringAsciiCase(one.getName(), IdempotencyFilter.KEY));
        if (!there) {
            operation.addParametersItem(new HeaderParameter()
                    .name(IdempotencyFilter.KEY)
                    .description(
                            "A unique key, such as a UUID, in double quotes. Use a new key for each new request, and"
                                    + " the same key with the same request for every retry.")
                    .required(required)
                    .schema(schema("string")));
        }
    }

    private static void addProblems(ApiResponses responses, int status, List<ProblemType> problems) {
        ApiResponse response = responses.computeIfAbsent(
                Integer.toString(status),
                added -> new ApiResponse()
                        .description(problems.stream()
                                .map(problem -> problem.slug() + ": " + problem.title() + ".")
                                .collect(Collectors.joining(" "))));
        if (response.getContent() == null) {
            response.setContent(new Content());
        }
        response.getContent()
                .computeIfAbsent(
                        "application/problem+json",
                        type -> new MediaType().schema(new Schema<>().$ref("#/components/schemas/" + PROBLEM)));
        if (problems.stream().anyMatch(problem -> problem.isRetryable().orElse(false))) {
            response.addHeaderObject("Retry-After", header("integer", "How many seconds to wait before the next try."));
        }
    }

    private static void addSchema(OpenAPI api) {
        if (api.getComponents() == null) {
            api.setComponents(new Components());
        }
        Schema<?> problem = schema("object");
        for (String name : List.of("type", "title", "detail", "instance", "failure", "failureMessage")) {
            problem.addProperty(name, schema("string"));
        }
        problem.addProperty("status", schema("integer"));
        problem.addProperty("retryable", schema("boolean"));
        api.getComponents().addSchemas(PROBLEM, problem);
    }

    private static Header header(String type, String description) {
        return new Header().description(description).schema(schema(type));
    }

    /** Returns a schema for both OpenAPI 3.0, which reads the first property, and 3.1. */
    private static Schema<?> schema(String type) {
        Schema<?> schema = new Schema<>().type(type);
        schema.addType(type);
        return schema;
    }
}
