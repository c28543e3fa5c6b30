package io.counterpoint.idempotency.examples.springboot;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Validates texts, so that every database can store them unchanged. */
final class Texts {

    private static final int LONGEST = 100;

    private Texts() {}

    static void require(String name, @Nullable String text) {
        if (text == null
                || text.isBlank()
                || text.length() > LONGEST
                || text.indexOf('\0') >= 0
                || !StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new IllegalArgumentException(
                    name + " must be a text of 1 to " + LONGEST
                            + " characters, not all blank, without NUL and without half of a surrogate pair. Nothing was done.");
        }
    }
}
