package io.counterpoint.idempotency.programs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** JSON as programs print it and write it into files. */
public final class Json {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Json() {}

    /** An empty object. */
    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /** A record, a list, a map, a number or a text as JSON. */
    public static JsonNode of(Object value) {
        return MAPPER.valueToTree(value);
    }

    /** The value of a text that is JSON. */
    public static JsonNode parse(String text) {
        return parse(text, new TypeReference<>() {});
    }

    /** The value of a text that is JSON, as an object of a type. */
    public static <T> T parse(String text, TypeReference<T> type) {
        try {
            return MAPPER.readValue(text, type);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not JSON, or not of this type: " + e.getMessage(), e);
        }
    }

    /** On many lines, indented. */
    public static String indented(Object value) {
        return of(value).toPrettyString();
    }
}
