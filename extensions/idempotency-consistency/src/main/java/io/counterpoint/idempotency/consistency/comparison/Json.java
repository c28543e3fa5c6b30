package io.counterpoint.idempotency.consistency.comparison;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes JSON for people: reports on several lines, rows on one. */
final class Json {

    private static final int LONGEST = 1_000;

    private Json() {}

    /** Writes one value. */
    @FunctionalInterface
    interface Content {

        /** Writes the value and nothing else. */
        void write(JsonGenerator json) throws IOException;
    }

    static String pretty(Content content) {
        return text(true, content);
    }

    /** Writes on several lines and leaves the writer open. */
    static void pretty(Writer out, Content content) throws IOException {
        write(out, true, content);
    }

    private static String text(boolean lines, Content content) {
        StringWriter text = new StringWriter();
        try {
            write(text, lines, content);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.toString();
    }

    private static void write(Writer out, boolean lines, Content content) throws IOException {
        JsonGenerator json = new JsonFactory().createGenerator(out);
        if (lines) {
            json.useDefaultPrettyPrinter();
        }
        json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
        content.write(json);
        json.flush();
    }

    /** Returns the fields of a row: numbers and booleans as such, everything else as text of limited length. */
    static String of(Row<?> row) {
        return text(false, json -> {
            json.writeStartObject();
            for (Map.Entry<String, @Nullable Object> field : row.fields().entrySet()) {
                json.writeFieldName(field.getKey());
                write(json, field.getValue());
            }
            json.writeEndObject();
        });
    }

    private static void write(JsonGenerator json, @Nullable Object value) throws IOException {
        if (value == null) {
            json.writeNull();
        } else if (value instanceof Boolean truth) {
            json.writeBoolean(truth);
        } else if (value instanceof Number number && Double.isFinite(number.doubleValue())) {
            json.writeNumber(number.toString());
        } else {
            String text = value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : value.toString();
            json.writeString(text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…");
        }
    }
}
