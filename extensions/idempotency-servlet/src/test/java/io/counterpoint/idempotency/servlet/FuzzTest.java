package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.ToIntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * Whatever comes in has a defined answer: a value, or the documented refusal. Each input is made of the seed and its number.
 * {@code -Dfuzz.inputs=2000000} tries more, {@code -Dfuzz.seed=7} others.
 */
@Tag("thorough")
class FuzzTest {

    private static final int INPUTS = Integer.getInteger("fuzz.inputs", 200_000);
    private static final long SEED = Long.getLong("fuzz.seed", 20260103L);

    private final Random random = new Random(SEED);
    private int input;
    private int accepted;
    private int refused;
    private long start;
    private long startOfProcessor;

    @BeforeEach
    void begin() {
        start = System.nanoTime();
        startOfProcessor = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    @AfterEach
    void report(TestInfo test) {
        System.out.println(test.getDisplayName() + " " + input + " inputs, seed " + SEED + ": " + accepted
                + " accepted, " + refused + " refused, " + (System.nanoTime() - start) / 1_000_000 + " ms, of which "
                + (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - startOfProcessor) / 1_000_000
                + " ms of processor time");
        assertThat(accepted).isPositive();
    }

    private String where() {
        return "seed " + SEED + ", input " + input;
    }

    private void same(Object found, Object expected) {
        if (!found.equals(expected)) {
            assertThat(found).as(where()).isEqualTo(expected);
        }
    }

    private String text(String alphabet, int most) {
        int length = random.nextInt(most + 1);
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append(
                    random.nextInt(20) == 0
                            ? (char) random.nextInt(0x180)
                            : alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }

    // ---- keys ----------------------------------------------------------------------------------------------------

    /** RFC 9651, section 3.3.3, of visible characters only: {@code DQUOTE *chr DQUOTE}. */
    private static final Pattern STRING =
            Pattern.compile("[ \\t]*\"((?:[\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\"\\\\])+)\"[ \\t]*");

    private static final Pattern TOKEN = Pattern.compile("[ \\t]*([\\x21-\\x7e&&[^\",;\\\\]]+)[ \\t]*");

    private static Optional<String> keyByTheGrammar(String line, boolean lenient) {
        Matcher string = STRING.matcher(line);
        Matcher token = TOKEN.matcher(line);
        Optional<String> key = string.matches()
                ? Optional.of(string.group(1).replaceAll("\\\\([\"\\\\])", "$1"))
                : lenient && token.matches() ? Optional.of(token.group(1)) : Optional.empty();
        return key.filter(it -> it.length() <= 255);
    }

    @Test
    void keysAreReadAsTheGrammarSays() {
        for (; input < INPUTS; input++) {
            String inner = text(random.nextBoolean() ? "abcXYZ-09" : "ab\"\\,; \t", random.nextInt(40) == 0 ? 300 : 12);
            String line = random.nextInt(3) == 0 ? inner : " \t".substring(random.nextInt(3)) + '"' + inner + '"';
            boolean lenient = random.nextBoolean();
            Optional<String> read;
            try {
                read = Optional.of(KeyHeader.read(List.of(line), lenient));
                accepted++;
            } catch (KeyHeader.Malformed malformed) {
                read = Optional.empty();
                refused++;
            }
            same(read, keyByTheGrammar(line, lenient));
        }
    }

    // ---- stored responses ----------------------------------------------------------------------------------------

    @Test
    void storedResponsesAreReadOrRefused() throws Exception {
        byte[] sound = StoredResponse.of(201, "application/json", new byte[40])
                .withHeader("Location", "/payments/1")
                .encode();
        for (; input < INPUTS; input++) {
            byte[] bytes = mutated(sound);
            try {
                StoredResponse response = StoredResponse.decode(bytes);
                assertThat(response.status()).as(this::where).isBetween(100, 599);
                assertThat(StoredResponse.decode(response.encode()).encode())
                        .as(this::where)
                        .isEqualTo(response.encode());
                accepted++;
            } catch (IOException documented) {
                refused++;
            }
        }
    }

    private byte[] mutated(byte[] sound) {
        byte[] bytes = random.nextInt(10) == 0 ? new byte[random.nextInt(80)] : sound.clone();
        if (bytes.length != sound.length) {
            random.nextBytes(bytes);
        }
        for (int changes = random.nextInt(4); changes > 0 && bytes.length > 0; changes--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        return random.nextInt(5) == 0 ? java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length + 10)) : bytes;
    }

    // ---- forms ---------------------------------------------------------------------------------------------------

    private static final Pattern ESCAPED = Pattern.compile("(?:[^%]|%[0-9a-fA-F]{2})*");

    /** The fields as the platform's decoder reads them; empty if the form is none. */
    private static Optional<Map<String, List<String>>> fieldsByTheGrammar(String form) {
        Map<String, List<String>> fields = new LinkedHashMap<>();
        for (String field : form.split("&", -1)) {
            String[] parts = field.split("=", 2);
            for (String part : parts) {
                if (!ESCAPED.matcher(part).matches()) {
                    return Optional.empty();
                }
            }
            if (!field.isEmpty()) {
                fields.computeIfAbsent(decoded(parts[0]), first -> new ArrayList<>())
                        .add(parts.length == 1 ? "" : decoded(parts[1]));
            }
        }
        boolean sound =
                fields.entrySet().stream().noneMatch(it -> (it.getKey() + it.getValue()).indexOf('\ufffd') >= 0);
        return sound ? Optional.of(fields) : Optional.empty();
    }

    private static String decoded(String text) {
        return java.net.URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    @Test
    void formsAreReadAsTheGrammarSays() {
        for (; input < INPUTS; input++) {
            String form = text(random.nextBoolean() ? "ab=&+1" : "a=&%2bCEé", 30);
            Optional<Map<String, List<String>>> read;
            try {
                read = Optional.of(FormFields.read(form.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8, 1000)
                        .values());
                accepted++;
            } catch (FormFields.Malformed malformed) {
                read = Optional.empty();
                refused++;
            }
            same(read, fieldsByTheGrammar(form));
        }
    }

    // ---- multipart bodies ----------------------------------------------------------------------------------------

    @Test
    void multipartBodiesAreReadOrRefused() throws Exception {
        for (; input < INPUTS; input++) {
            Map<String, String> expected = new LinkedHashMap<>();
            String boundary = "-ab".substring(random.nextInt(3));
            StringBuilder body = new StringBuilder();
            for (int parts = random.nextInt(4); parts > 0; parts--) {
                String content = text("-ab\r\n", 20).replaceAll("[^\\x00-\\xff]", "y");
                if (!("\r\n" + content + "\r\n--").contains("\r\n--" + boundary)) {
                    expected.put("part" + parts, content);
                    body.append("--" + boundary + "\r\nContent-Disposition: form-data; name=\"part" + parts
                            + "\"\r\n\r\n" + content + "\r\n");
                }
            }
            byte[] bytes = body.append("--" + boundary + "--\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
            boolean mutated = random.nextBoolean();
            readMultipart(mutated ? mutated(bytes) : bytes, boundary, mutated, expected);
        }
    }

    private void readMultipart(byte[] bytes, String boundary, boolean mutated, Map<String, String> expected)
            throws IOException {
        try (SpooledBody body = SpooledBody.read(
                new ByteArrayInputStream(bytes), bytes.length, 1000, bytes.length, new BodyDigest(null))) {
            Map<String, String> found = new LinkedHashMap<>();
            long size = 0;
            for (SpooledPart part : MultipartForm.read(body, boundary, 50, 512)) {
                found.put(part.getName(), part.text(StandardCharsets.ISO_8859_1));
                size += part.getSize();
            }
            assertThat(size).as(this::where).isLessThanOrEqualTo(bytes.length);
            if (!mutated) {
                same(found, expected);
            }
            accepted++;
        } catch (FormFields.Malformed malformed) {
            assertThat(mutated).as(this::where).isTrue();
            refused++;
        }
    }

    // ---- media types and problems --------------------------------------------------------------------------------

    @Test
    void headersWithParametersAreReadWhateverTheyAre() {
        ToIntFunction<HeaderValue> use =
                value -> value.value().length() + value.parameters().size();
        for (; input < INPUTS; input++) {
            String text = text("ab/=;\"\\ charset", 30);
            assertThat(use.applyAsInt(HeaderValue.parse(text))).as(this::where).isLessThanOrEqualTo(text.length() + 1);
            accepted++;
        }
    }

    @Test
    void problemsAreJson() {
        for (; input < INPUTS; input++) {
            String text = text("ab\"\\/\u0000\n\t\ud83d\ude00\ud800", 20);
            String json = Problems.quoted(text);
            // What is sent is UTF-8, which has no half of a surrogate pair.
            byte[] sent = json.getBytes(StandardCharsets.UTF_8);
            same(string(new String(sent, StandardCharsets.UTF_8)), text);
            accepted++;
        }
    }

    private static final Pattern JSON_STRING =
            Pattern.compile("\"(?:[^\"\\\\\\x00-\\x1f]|\\\\[\"\\\\/bfnrt]|\\\\u[0-9a-fA-F]{4})*\"");

    /** Reads a JSON string (RFC 8259, section 7), strictly. */
    private static String string(String json) {
        if (!JSON_STRING.matcher(json).matches()) {
            throw new AssertionError("This is no JSON string: " + json);
        }
        StringBuilder text = new StringBuilder();
        for (int at = 1; at < json.length() - 1; at++) {
            char character = json.charAt(at);
            if (character != '\\') {
                text.append(character);
            } else if (json.charAt(++at) == 'u') {
                text.append((char) Integer.parseInt(json.substring(at + 1, at + 5), 16));
                at += 4;
            } else {
                text.append("\"\\/\b\f\n\r\t".charAt("\"\\/bfnrt".indexOf(json.charAt(at))));
            }
        }
        return text.toString();
    }
}
