package io.counterpoint.idempotency.consistency.invalidation;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;

/**
 * A notification that an entry has changed, so that caches remove it.
 *
 * @param type the type of the entry, by which caches are registered; 1 to 100 characters
 * @param id its identifier, 1 to 255 characters
 * @param version its version after the change, so that a late message does not remove anything newer; {@link #ANY} if
 *     it has none
 */
public record Invalidation(String type, String id, long version) {

    /** The version for entries without versions: every cached value is out of date. */
    public static final long ANY = Long.MAX_VALUE;

    /** Only ASCII, which every transport and every database encoding can carry. */
    private static final JsonFactory JSON =
            JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    /**
     * Checks the sizes.
     *
     * @param type the type of the entry
     * @param id its identifier
     * @param version its version
     * @throws IllegalArgumentException if a text is empty or too long
     */
    public Invalidation {
        requireLength("type", type, 100);
        requireLength("id", id, 255);
    }

    private static void requireLength(String what, String text, int most) {
        if (text.isEmpty() || text.length() > most) {
            throw new IllegalArgumentException("The " + what + " of an invalidation must be 1 to " + most + ""
                    + " characters, found " + text.length() + ".");
        }
    }

    /**
     * Returns the event to append in the transaction of the change. It is unordered, because versions decide.
     *
     * @param topic the topic whose publisher uses the {@link CacheInvalidator}
     * @return an event with this message
     */
    public OutboxEvent event(String topic) {
        return OutboxEvent.of(topic, message());
    }

    /**
     * Returns the message to send: {@code {"type":"app","id":"7","version":"3"}}, without a version if that is {@link
     * #ANY}. All values are strings.
     *
     * @return JSON of at most 2,300 characters, all of them ASCII
     */
    public String message() {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            json.writeStringField("type", type);
            json.writeStringField("id", id);
            if (version != ANY) {
                json.writeStringField("version", Long.toString(version));
            }
            json.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.toString();
    }

    /**
     * Parses a message. Unknown fields are ignored.
     *
     * @param message the text
     * @return the invalidation
     * @throws IllegalArgumentException for any other text, which the exception does not contain
     */
    public static Invalidation parse(String message) {
        Map<String, String> fields = new HashMap<>();
        try (JsonParser json = JSON.createParser(message)) {
            if (json.nextToken() == JsonToken.START_OBJECT) {
                while (json.nextToken() == JsonToken.FIELD_NAME) {
                    String name = json.currentName();
                    if (json.nextToken().isScalarValue()) {
                        fields.put(name, json.getText());
                    } else {
                        json.skipChildren();
                    }
                }
            }
            String version = fields.getOrDefault("version", Long.toString(ANY));
            if (!version.matches("-?[0-9]{1,19}")) {
                throw new IllegalArgumentException("The version is not a number.");
            }
            return new Invalidation(
                    fields.getOrDefault("type", ""), fields.getOrDefault("id", ""), Long.parseLong(version));
        } catch (IOException | IllegalArgumentException wrong) {
            throw new IllegalArgumentException(
                    "An invalidation must be a JSON object with type, id and optionally version, found "
                            + message.length() + " other characters.");
        }
    }
}
