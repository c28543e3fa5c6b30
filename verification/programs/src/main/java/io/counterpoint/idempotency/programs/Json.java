package io.counterpoint.idempotency.programs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** JSON as programs print it and write it into files. */
public final class Json {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private static final ObjectWriter BY_ELEMENT =
            MAPPER.writer(new DefaultPrettyPrinter(Separators.createDefaultInstance()
                            .withObjectFieldValueSpacing(Separators.Spacing.AFTER)
                            .withObjectEntrySpacing(Separators.Spacing.AFTER)
                            .withObjectEmptySeparator("")
                            .withArrayEmptySeparator(""))
                    .withObjectIndenter(new DefaultPrettyPrinter.NopIndenter())
                    .withArrayIndenter(new DefaultIndenter("  ", "\n")));

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

    /** Each element of an array on a line of its own, and nothing else. */
    public static String byElement(JsonNode value) {
        try {
            return BY_ELEMENT.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree is no JSON", e);
        }
    }
}
