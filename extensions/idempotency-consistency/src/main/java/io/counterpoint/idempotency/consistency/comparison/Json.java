package io.counterpoint.idempotency.consistency.comparison;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.io.Writer;

/** JSON for people: on several lines. */
final class Json {

    private Json() {}

    /** Writes one value. */
    @FunctionalInterface
    interface Content {

        /** Writes it, and nothing else. */
        void write(JsonGenerator json) throws IOException;
    }

    static String pretty(Content content) {
        StringWriter text = new StringWriter();
        try {
            pretty(text, content);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.toString();
    }

    /** The writer stays open. */
    static void pretty(Writer out, Content content) throws IOException {
        JsonGenerator json = new JsonFactory().createGenerator(out).useDefaultPrettyPrinter();
        json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
        content.write(json);
        json.flush();
    }
}
