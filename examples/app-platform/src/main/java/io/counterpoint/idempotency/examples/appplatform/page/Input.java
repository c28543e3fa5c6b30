package io.counterpoint.idempotency.examples.appplatform.page;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

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
        String text = fields.path(name).asText();
        if (!fields.path(name).isTextual() || text.isBlank() || text.length() > longest) {
            throw Refused.malformed(name + " has to be a text of 1 to " + longest + " characters.");
        }
        return text;
    }

    String choice(String name, List<String> choices) throws Refused {
        String text = fields.path(name).asText();
        if (!choices.contains(text)) {
            throw Refused.malformed(name + " has to be one of " + choices + ".");
        }
        return text;
    }

    <E extends Enum<E>> E choice(String name, E[] values) throws Refused {
        List<String> names = Stream.of(values).map(Input::word).toList();
        return values[names.indexOf(choice(name, names))];
    }

    /** The name of a choice, as the page sends and shows it. */
    static String word(Enum<?> choice) {
        return choice.name().toLowerCase(Locale.ROOT);
    }
}
