package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import org.greenbytes.http.sfv.ParseException;
import org.greenbytes.http.sfv.Parser;
import org.greenbytes.http.sfv.StringItem;
import org.junit.jupiter.api.Test;

/** What is a key in a header, compared with an independent parser of RFC 8941, whose Strings RFC 9651 keeps. */
class KeyHeaderTest {

    private static final long SEED = 20260101;
    private static final int INPUTS = 200_000;

    private static Optional<String> read(String line, boolean lenient) {
        try {
            return Optional.of(KeyHeader.read(List.of(line), lenient));
        } catch (KeyHeader.Malformed malformed) {
            return Optional.empty();
        }
    }

    /** A String of RFC 9651 without parameters, which is a key of the core besides. */
    private static Optional<String> independently(String line) {
        try {
            return Parser.parseItem(line) instanceof StringItem item
                            && item.getParams().isEmpty()
                            && item.get().matches("[\\x21-\\x7e]{1,255}")
                    ? Optional.of(item.get())
                    : Optional.empty();
        } catch (ParseException refused) {
            return Optional.empty();
        }
    }

    @Test
    void strictReaderTakesWhatAnIndependentParserTakes() {
        Random random = new Random(SEED);
        int keys = 0;
        for (int i = 0; i < INPUTS; i++) {
            String line = generated(random);
            // The HTTP parser takes tabs around a value off, and so does this reader.
            Optional<String> expected = independently(line.strip());
            assertThat(read(line, false))
                    .as("seed %s, input %s: <%s>", SEED, i, line)
                    .isEqualTo(expected);
            keys += expected.isPresent() ? 1 : 0;
        }
        System.out.println(INPUTS + " generated header values, seed " + SEED + ": " + keys + " keys, " + (INPUTS - keys)
                + " refused, as by the independent parser.");
        assertThat(keys).isBetween(INPUTS / 20, INPUTS * 19 / 20);
    }

    private static String generated(Random random) {
        String inside = random.ints(random.nextInt(8), 0, 12)
                .mapToObj(i -> List.of("a", "7", "-", " ", "\"", "\\\"", "\\\\", "\\", ";p=1", ",", "é", "~")
                        .get(random.nextInt(4) == 0 ? i : i % 3))
                .collect(Collectors.joining());
        return switch (random.nextInt(8)) {
            case 0 -> inside;
            case 1 -> "\"" + inside;
            case 2 -> " \"" + inside + "\" ";
            case 3 -> "\"" + inside.repeat(40) + "\"";
            default -> "\"" + inside + "\"";
        };
    }

    @Test
    void everyVisibleTextThatIsQuotedIsReadAsItself() {
        Random random = new Random(SEED);
        for (int i = 0; i < INPUTS / 10; i++) {
            String key = random.ints(1 + random.nextInt(255), 0x21, 0x7f)
                    .mapToObj(Character::toString)
                    .collect(Collectors.joining());
            String quoted = "\"" + key.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
            assertThat(read(quoted, true)).as("seed %s, input %s", SEED, i).contains(key);
            assertThat(read(quoted, false)).contains(key);
            boolean token = key.chars().noneMatch(c -> c == '"' || c == '\\' || c == ',' || c == ';');
            assertThat(read(key, true)).isEqualTo(token ? Optional.of(key) : Optional.empty());
            assertThat(read(key, false)).isEmpty();
        }
    }

    @Test
    void refusalSaysWhyAndNeverWhatWasSent() {
        for (String line : List.of("secret one", "\"secret", "\"secret\\x\"", "secret,2", "\"secret\" x", "secrét")) {
            assertThatThrownBy(() -> KeyHeader.read(List.of(line), true))
                    .isInstanceOf(KeyHeader.Malformed.class)
                    .message()
                    .doesNotContain("secr");
        }
        assertThatThrownBy(() -> KeyHeader.read(List.of("a", "a"), true)).hasMessageContaining("2 times");
    }
}
