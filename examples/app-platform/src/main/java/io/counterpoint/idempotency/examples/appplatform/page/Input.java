package io.counterpoint.idempotency.examples.appplatform.page;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterpoint.idempotency.examples.appplatform.http.Refusals;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The fields of an action's request. If a field is invalid, the request is refused. */
record Input(JsonNode fields) {

    int number(String name, int least, int most) throws Refusal {
        JsonNode field = fields.path(name);
        if (!field.isInt() || field.intValue() < least || field.intValue() > most) {
            throw Refusals.malformed(name + " must be an integer between " + least + " and " + most + ".");
        }
        return field.intValue();
    }

    boolean flag(String name) throws Refusal {
        JsonNode field = fields.path(name);
        if (!field.isBoolean()) {
            throw Refusals.malformed(name + " must be true or false.");
        }
        return field.booleanValue();
    }

    String text(String name, int longest) throws Refusal {
        String text = fields.path(name).asText();
        if (!fields.path(name).isTextual() || text.isBlank() || text.length() > longest) {
            throw Refusals.malformed(name + " must be 1 to " + longest + " characters long.");
        }
        return text;
    }

    String choice(String name, List<String> choices) throws Refusal {
        String text = fields.path(name).asText();
        if (!choices.contains(text)) {
            throw Refusals.malformed(name + " must be one of " + choices + ".");
        }
        return text;
    }

    <E extends Enum<E>> E choice(String name, E[] values) throws Refusal {
        List<String> names = Stream.of(values).map(Input::word).toList();
        return values[names.indexOf(choice(name, names))];
    }

    /** The name of an enum constant, as the page sends and shows it. */
    static String word(Enum<?> choice) {
        return choice.name().toLowerCase(Locale.ROOT);
    }
}
