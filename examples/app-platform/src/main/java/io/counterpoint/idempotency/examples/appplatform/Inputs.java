package io.counterpoint.idempotency.examples.appplatform;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.counterpoint.idempotency.examples.appplatform.Parameter.Where;
import io.counterpoint.idempotency.examples.appplatform.http.Refusals;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.net.URLDecoder;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The inputs of a request. They are parsed before anything is done, and must match the declared parameters exactly:
 * unknown, repeated and malformed inputs are refused.
 */
record Inputs(HttpServletRequest request, Map<Parameter<?>, Object> values) {

    static final int LONGEST_BODY = 64 * 1024;

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /** Parses a request according to its route's parameters. */
    static Inputs of(HttpServletRequest request, List<Parameter<?>> declared) throws IOException, Refusal {
        if (request.getRequestURI().indexOf(';') >= 0) {
            throw Refusals.malformed("A path has no parameters here.");
        }
        JsonNode query = declared("query", query(request.getQueryString()), of(declared, false));
        JsonNode body = declared("body", body(request), of(declared, true));
        Map<Parameter<?>, Object> values = new HashMap<>();
        for (Parameter<?> parameter : declared) {
            Object value = parameter.where() == Where.HEADER
                    ? header(request, parameter)
                    : parameter.parse((parameter.where().isBody() ? body : query).get(parameter.name()));
            values.put(parameter, value);
        }
        return new Inputs(request, values);
    }

    private static List<Parameter<?>> of(List<Parameter<?>> declared, boolean isBody) {
        return declared.stream()
                .filter(parameter ->
                        parameter.where() != Where.HEADER && parameter.where().isBody() == isBody)
                .toList();
    }

    /** The part of the path that follows the route. */
    String name() {
        return request.getPathInfo() == null ? "" : request.getPathInfo().substring(1);
    }

    /** The value of a parameter that the route declares. */
    @SuppressWarnings("unchecked")
    <T> T get(Parameter<T> parameter) {
        Object value = values.get(parameter);
        if (value == null) {
            throw new IllegalStateException("The route does not declare " + parameter.name() + ".");
        }
        return (T) value;
    }

    /** Parses a single header, for filters that run before the route. */
    static <T> T header(HttpServletRequest request, Parameter<T> parameter) throws Refusal {
        List<String> lines = Collections.list(request.getHeaders(parameter.name()));
        if (lines.size() > 1) {
            throw parameter.refused();
        }
        return parameter.parse(lines.isEmpty() ? null : TextNode.valueOf(lines.get(0)));
    }

    private static JsonNode declared(String what, JsonNode sent, List<Parameter<?>> here) throws Refusal {
        List<String> names = here.stream().<String>map(Parameter::name).toList();
        for (Map.Entry<String, JsonNode> field : sent.properties()) {
            if (!names.contains(field.getKey())) {
                String expected = here.stream()
                        .map(parameter -> parameter.name() + ": " + parameter.expected())
                        .collect(Collectors.joining("; "));
                throw Refusals.malformed("The " + what + " has an unknown name. Expected "
                        + (expected.isEmpty() ? "none" : expected) + ". Nothing was done.");
            }
        }
        return sent;
    }

    private static ObjectNode query(@Nullable String query) throws Refusal {
        ObjectNode values = JsonNodeFactory.instance.objectNode();
        if (query == null || query.isEmpty()) {
            return values;
        }
        for (String pair : query.split("&", -1)) {
            String[] parts = pair.split("=", 2);
            String name = decoded(parts[0]);
            if (values.replace(name, TextNode.valueOf(parts.length < 2 ? "" : decoded(parts[1]))) != null) {
                throw Refusals.malformed(
                        "The query has a name twice, but dryRun, q and all others may be sent only once. Nothing was"
                                + " done.");
            }
        }
        return values;
    }

    /** Decodes form encoding. Malformed UTF-8 would become U+FFFD, so that character is refused. */
    private static String decoded(String text) throws Refusal {
        try {
            String decoded = URLDecoder.decode(text, UTF_8);
            if (decoded.indexOf('\uFFFD') < 0) {
                return decoded;
            }
        } catch (IllegalArgumentException notEncoded) {
            // Falls through to the refusal below.
        }
        throw Refusals.malformed("The query must be percent-encoded UTF-8. Nothing was done.");
    }

    private static JsonNode body(HttpServletRequest request) throws IOException, Refusal {
        byte[] body = request.getInputStream().readNBytes(LONGEST_BODY + 1);
        if (body.length > LONGEST_BODY) {
            throw Refusals.malformed("The body must be at most " + LONGEST_BODY + " bytes long.");
        }
        try {
            // The body is already in memory, so any exception is due to its content.
            JsonNode read = body.length == 0 ? JsonNodeFactory.instance.objectNode() : MAPPER.readTree(body);
            if (read.isObject()) {
                return read;
            }
        } catch (IOException notJson) {
            // Falls through to the refusal below.
        }
        throw Refusals.malformed("The body must be one JSON object without duplicate names. Nothing was done.");
    }
}
