package io.counterpoint.idempotency.consistency.check;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes small JSON texts. */
final class Json {

    private Json() {}

    /** Writes one value. */
    @FunctionalInterface
    interface Content {

        /** Writes the value and nothing else. */
        void write(JsonGenerator json) throws IOException;
    }

    /** For people, on several lines. */
    static String pretty(Content content) {
        return text(content, true);
    }

    /** For columns, on one line. */
    static String compact(Content content) {
        return text(content, false);
    }

    /** Writes an object of texts. */
    static void write(JsonGenerator json, Map<String, ? extends @Nullable Object> values) throws IOException {
        json.writeStartObject();
        for (Map.Entry<String, ? extends @Nullable Object> value : values.entrySet()) {
            Object text = value.getValue();
            if (text == null) {
                json.writeNullField(value.getKey());
            } else {
                json.writeStringField(value.getKey(), text.toString());
            }
        }
        json.writeEndObject();
    }

    private static String text(Content content, boolean pretty) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            if (pretty) {
                json.useDefaultPrettyPrinter();
            }
            content.write(json);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.toString();
    }
}
