package io.counterpoint.idempotency.programs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** JSON, as programs print it and write it to files. */
public final class Json {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Json() {}

    /** Creates an empty object. */
    public static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    /** Converts a record, list, map, number or text to JSON. */
    public static JsonNode of(Object value) {
        return MAPPER.valueToTree(value);
    }

    /** Parses JSON. */
    public static JsonNode parse(String text) {
        return parse(text, new TypeReference<>() {});
    }

    /** Parses JSON into an object of a type. */
    public static <T> T parse(String text, TypeReference<T> type) {
        try {
            return MAPPER.readValue(text, type);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not JSON, or not of this type: " + e.getMessage(), e);
        }
    }

    /** Formats a value on several lines, with indentation. */
    public static String indented(Object value) {
        return of(value).toPrettyString();
    }
}
