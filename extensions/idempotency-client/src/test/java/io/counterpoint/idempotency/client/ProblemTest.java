package io.counterpoint.idempotency.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.http.ProblemType;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Problem documents of any form are read, and never trusted beyond their status. */
class ProblemTest {

    private static Problem parse(int status, String document) {
        return Problem.of(status, document.getBytes(StandardCharsets.UTF_8), true, Optional.empty());
    }

    @Test
    void everyTypeOfTheFilterIsTold() {
        for (ProblemType type : ProblemType.values()) {
            assertThat(parse(type.status(), "{\"type\":\"https://payments.example/keys#" + type.slug() + "\"}")
                            .type())
                    .contains(type);
        }
    }

    @Test
    void textMembersAreReadAndOthersSkipped() {
        assertThat(parse(
                                422,
                                " { \"a\" : [1, {\"type\":\"no\"}, \"]\"], \"type\":\"x#key-reused\", \"n\":-1.5e3,\n"
                                        + "\"detail\":\"say \\\"\\u00e4\\/\\n\\\"\", \"t\":true, \"e\":{}, \"f\":[] } ")
                        .members())
                .isEqualTo(Map.of("type", "x#key-reused", "detail", "say \"ä/\n\""));
        assertThat(parse(422, "{}").members()).isEmpty();
    }

    @Test
    void typeCountsWithItsStatusOnly() {
        assertThat(parse(422, "{\"type\":\"x#key-reused\"}").type()).contains(ProblemType.KEY_REUSED);
        assertThat(parse(409, "{\"type\":\"x#key-reused\"}").type()).isEmpty();
        assertThat(parse(422, "{\"type\":\"x#other\"}").type()).isEmpty();
        assertThat(parse(422, "{\"problem\":{\"type\":\"x#key-reused\"}}").type())
                .isEmpty();
        assertThat(parse(201, "{\"type\":\"x#answer-not-kept\"}").type()).contains(ProblemType.ANSWER_NOT_KEPT);
    }

    @Test
    void whatIsNoObjectHasNoMembers() {
        for (String document : List.of(
                "",
                "[]",
                "null",
                "{",
                "{\"type\"}",
                "{\"type\":}",
                "{\"type\":\"x",
                "{\"type\":\"\\u12\"}",
                "{\"type\":\"\\uzzzz\"}",
                "{\"a\":\"\\x\"}",
                "<html>",
                "{\"a\":".repeat(10_000))) {
            assertThat(parse(422, document).type()).as(document).isEmpty();
        }
    }

    @Test
    void damagedDocumentsNeverThrow() {
        String whole = "{\"type\":\"x#key-reused\",\"list\":[1,{\"a\":\"\\u00e4\"}],\"status\":422}";
        Random random = new Random(1);
        for (int round = 0; round < 20_000; round++) {
            StringBuilder damaged = new StringBuilder(whole);
            for (int damage = 0; damage <= random.nextInt(3); damage++) {
                damaged.setCharAt(random.nextInt(damaged.length()), (char) (0x20 + random.nextInt(0x60)));
            }
            damaged.setLength(random.nextInt(whole.length() + 1));
            assertThat(parse(422, damaged.toString()).status()).isEqualTo(422);
        }
    }

    @Test
    void textShowsStatusAndTypeOnly() {
        assertThat(parse(422, "{\"type\":\"x#key-reused\",\"detail\":\"secret\"}"))
                .hasToString("422 key-reused");
    }
}
