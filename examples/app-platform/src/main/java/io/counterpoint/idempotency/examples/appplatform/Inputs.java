package io.counterpoint.idempotency.examples.appplatform;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.TextNode;
import io.counterpoint.idempotency.examples.appplatform.Parameter.Where;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a request says, parsed before anything is done: every parameter of its route, exactly as it is declared, and
 * nothing else. What is unknown, sent twice, or written otherwise is refused.
 */
final class Inputs {

    static final int LONGEST_BODY = 64 * 1024;

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final Map<Parameter<?>, Object> values = new HashMap<>();

    private Inputs() {}

    static Inputs none() {
        return new Inputs();
    }

    /** Parses a request by what its route takes. */
    static Inputs of(HttpServletRequest request, List<Parameter<?>> declared) throws IOException, Refusal {
        if (request.getRequestURI().indexOf(';') >= 0) {
            throw Refusals.malformed("A path has no parameters here.");
        }
        Map<String, JsonNode> query = query(request.getQueryString());
        requireDeclared(query.keySet(), declared, Where.QUERY);
        JsonNode body = body(request);
        Set<String> fields = new HashSet<>();
        body.fieldNames().forEachRemaining(fields::add);
        requireDeclared(fields, declared, Where.BODY);
        Inputs inputs = new Inputs();
        for (Parameter<?> parameter : declared) {
            Object value = switch (parameter.where()) {
                case HEADER -> header(request, parameter);
                case QUERY -> value(query.get(parameter.name()), parameter);
                case BODY -> value(body.get(parameter.name()), parameter);
            };
            inputs.values.put(parameter, value);
        }
        return inputs;
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

    /** One header alone, for what comes before the route. */
    static <T> T header(HttpServletRequest request, Parameter<T> parameter) throws Refusal {
        List<String> lines = Collections.list(request.getHeaders(parameter.name()));
        if (lines.size() > 1) {
            throw parameter.refused();
        }
        return lines.isEmpty() ? parameter.missing() : parameter.parse(TextNode.valueOf(lines.get(0)));
    }

    private static <T> T value(@Nullable JsonNode sent, Parameter<T> parameter) throws Refusal {
        return sent == null ? parameter.missing() : parameter.parse(sent);
    }

    private static void requireDeclared(Set<String> sent, List<Parameter<?>> declared, Where where) throws Refusal {
        List<Parameter<?>> here = declared.stream()
                .filter(parameter -> parameter.where() == where)
                .toList();
        Set<String> names = here.stream().map(Parameter::name).collect(Collectors.toSet());
        if (!names.containsAll(sent)) {
            String expected = here.stream()
                    .map(parameter -> parameter.name() + ": " + parameter.expected())
                    .collect(Collectors.joining("; "));
            throw Refusals.malformed((where == Where.QUERY ? "The query" : "The body") + " has a name that is not known"
                    + " here. Expected " + (expected.isEmpty() ? "none" : expected) + ". Nothing was done.");
        }
    }

    // ---- the query -----------------------------------------------------------------------------------------------

    private static Map<String, JsonNode> query(@Nullable String query) throws Refusal {
        Map<String, JsonNode> values = new HashMap<>();
        if (query == null || query.isEmpty()) {
            return values;
        }
        for (String pair : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            String name = decoded(equals < 0 ? pair : pair.substring(0, equals));
            JsonNode value = TextNode.valueOf(equals < 0 ? "" : decoded(pair.substring(equals + 1)));
            if (values.put(name, value) != null) {
                throw Refusals.malformed(
                        "The query has a name twice; dryRun, q and all others are sent once." + " Nothing was done.");
            }
        }
        return values;
    }

    /** As forms are encoded, in UTF-8, and nothing that only looks like it. */
    private static String decoded(String text) throws Refusal {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < text.length(); i++) {
            char character = text.charAt(i);
            if (character == '%') {
                int high = i + 2 < text.length() ? Character.digit(text.charAt(i + 1), 16) : -1;
                int low = i + 2 < text.length() ? Character.digit(text.charAt(i + 2), 16) : -1;
                bytes.write(hex(high, low));
                i += 2;
            } else {
                bytes.write(character == '+' ? ' ' : ascii(character));
            }
        }
        try {
            return UTF_8.newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toByteArray()))
                    .toString();
        } catch (CharacterCodingException notUtf8) {
            throw notEncoded();
        }
    }

    private static int hex(int high, int low) throws Refusal {
        if (high < 0 || low < 0) {
            throw notEncoded();
        }
        return high * 16 + low;
    }

    private static char ascii(char character) throws Refusal {
        if (character >= 0x80) {
            throw notEncoded();
        }
        return character;
    }

    private static Refusal notEncoded() {
        return Refusals.malformed("The query has to be percent-encoded UTF-8. Nothing was done.");
    }

    // ---- the body ------------------------------------------------------------------------------------------------

    private static JsonNode body(HttpServletRequest request) throws IOException, Refusal {
        byte[] body = request.getInputStream().readNBytes(LONGEST_BODY + 1);
        if (body.length > LONGEST_BODY) {
            throw Refusals.malformed("The body has to be at most " + LONGEST_BODY + " bytes.");
        }
        JsonNode read = body.length == 0 ? JsonNodeFactory.instance.objectNode() : parsed(body);
        if (!read.isObject()) {
            throw Refusals.malformed("The body has to be one JSON object. Nothing was done.");
        }
        return read;
    }

    /** The bytes are in memory, so every exception is about their content. */
    private static JsonNode parsed(byte[] body) throws Refusal {
        try {
            return MAPPER.readTree(body);
        } catch (IOException notJson) {
            throw Refusals.malformed(
                    "The body has to be one JSON object, in which no name is sent twice." + " Nothing was done.");
        }
    }
}
