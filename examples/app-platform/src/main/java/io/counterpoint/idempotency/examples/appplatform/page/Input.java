package io.counterpoint.idempotency.examples.appplatform.page;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.Locale;

/** The fields of an action's request. Each is what it has to be, or the request is refused. */
final class Input {

    private final JsonNode fields;

    Input(JsonNode fields) throws Refused {
        if (!fields.isObject()) {
            throw Refused.malformed("The body has to be a JSON object.");
        }
        this.fields = fields;
    }

    int number(String name, int least, int most) throws Refused {
        JsonNode field = fields.path(name);
        if (!field.isInt() || field.intValue() < least || field.intValue() > most) {
            throw Refused.malformed(name + " has to be a whole number from " + least + " to " + most + ".");
        }
        return field.intValue();
    }

    boolean flag(String name) throws Refused {
        JsonNode field = fields.path(name);
        if (!field.isBoolean()) {
            throw Refused.malformed(name + " has to be true or false.");
        }
        return field.booleanValue();
    }

    String text(String name, int longest) throws Refused {
        JsonNode field = fields.path(name);
        if (!field.isTextual()
                || field.textValue().isBlank()
                || field.textValue().length() > longest) {
            throw Refused.malformed(name + " has to be a text of 1 to " + longest + " characters.");
        }
        return field.textValue();
    }

    <E extends Enum<E>> E choice(String name, E[] values) throws Refused {
        String text = fields.path(name).asText();
        for (E value : values) {
            if (value.name().toLowerCase(Locale.ROOT).equals(text)) {
                return value;
            }
        }
        throw Refused.malformed(
                name + " has to be one of " + Arrays.toString(values).toLowerCase(Locale.ROOT) + ".");
    }
}
