package io.counterpoint.idempotency.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.type.TypeReference;
import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.UnstorableResultException;
import io.counterpoint.idempotency.jackson.Samples.Account;
import io.counterpoint.idempotency.jackson.Samples.Colour;
import io.counterpoint.idempotency.jackson.Samples.Node;
import io.counterpoint.idempotency.jackson.Samples.Payment;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever is not exactly a result of the type is refused, and never filled with null or zero. */
class StrictnessTest {

    private static final JsonCodecs CODECS = JsonCodecs.strict();

    record Order(String id, int amount, Optional<String> note, Colour colour, Instant at, BigDecimal price) {}

    private static final String GOOD = "{\"amount\":3,\"at\":\"2026-01-02T03:04:05Z\",\"colour\":\"RED\",\"id\":\"x\","
            + "\"note\":null,\"price\":1.10}";

    @Test
    void theGoodFormIsRead() {
        assertThat(CODECS.of(Order.class).decode(stored(GOOD)))
                .isEqualTo(new Order(
                        "x",
                        3,
                        Optional.empty(),
                        Colour.RED,
                        Instant.parse("2026-01-02T03:04:05Z"),
                        new BigDecimal("1.10")));
    }

    @Test
    void anyMissingComponentIsRefused() {
        for (String name : List.of("amount", "at", "colour", "id", "note", "price")) {
            String without = GOOD.replaceFirst("\"" + name + "\":(\"[^\"]*\"|[^,}]*),?", "")
                    .replace(",}", "}");
            assertThatThrownBy(() -> CODECS.of(Order.class).decode(stored(without)))
                    .isInstanceOf(JsonResultException.class)
                    .hasMessageContaining("." + name)
                    .hasNoCause();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"id\":\"x\" -> \"ident\":\"x\"",
                "\"id\":\"x\" -> \"ID\":\"x\"",
                "\"id\":\"x\" -> \"id\":\"x\",\"more\":1",
                "\"id\":\"x\" -> \"id\":\"x\",\"id\":\"x\"",
                "\"id\":\"x\" -> \"id\":7",
                "\"id\":\"x\" -> \"id\":[\"x\"]",
                "\"amount\":3 -> \"amount\":null",
                "\"amount\":3 -> \"amount\":\"3\"",
                "\"amount\":3 -> \"amount\":3.0",
                "\"amount\":3 -> \"amount\":3000000000",
                "\"amount\":3 -> \"amount\":true",
                "\"amount\":3 -> \"amount\":\"\"",
                "\"RED\" -> \"BLUE\"",
                "\"RED\" -> \"red\"",
                "\"RED\" -> \"\"",
                "\"RED\" -> 0",
                "\"2026-01-02T03:04:05Z\" -> \"yesterday\"",
                "\"2026-01-02T03:04:05Z\" -> \"\"",
                "1.10 -> \"1.10\"",
            })
    void whatWasNotWrittenIsRefused(String change) {
        String[] fromTo = change.split(" -> ", -1);
        String changed = GOOD.replace(fromTo[0], fromTo[1]);
        assertThat(changed).isNotEqualTo(GOOD);
        assertThatThrownBy(() -> CODECS.of(Order.class).decode(stored(changed)))
                .isInstanceOf(JsonResultException.class)
                .hasMessageContaining("Order");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "null",
                "7",
                "{\"version\":1}",
                "{\"result\":7,\"version\":1}",
                "{\"version\":1,\"result\":7}x",
                "{\"version\":1,\"result\":7} {}",
                "{\"version\":1,\"result\":7,\"more\":1}",
                "{\"version\":1,\"version\":1,\"result\":7}",
                "{\"version\":\"1\",\"result\":7}",
                "{\"version\":99999999999,\"result\":7}",
                "{\"version\":1,\"result\":null}",
                "{\"version\":1,\"result\":7",
                "{\"version\":1,\"result\":}",
            })
    void anotherFrameIsRefused(String stored) {
        assertThatThrownBy(() -> CODECS.of(Integer.class).decode(bytes(stored)))
                .isInstanceOf(JsonResultException.class);
    }

    @Test
    void anUnknownSubtypeIsRefused() {
        for (String subtype : List.of("{\"@type\":\"cheque\"}", "{\"amount\":1}", "{\"@type\":null,\"amount\":1}")) {
            assertThatThrownBy(() -> CODECS.of(Payment.class).decode(stored(subtype)))
                    .isInstanceOf(JsonResultException.class)
                    .hasMessageContaining("subtype");
        }
    }

    /** As another version of Jackson or of a module may write them. */
    @Test
    void valueThatIsStoredOtherwiseThanItIsWrittenNowIsRefused() {
        assertThatThrownBy(() -> CODECS.of(Instant.class).decode(bytes("{\"version\":1,\"result\":1700000000}")))
                .isInstanceOf(JsonResultException.class)
                .hasMessageContaining("differs from the JSON written now");
    }

    /** With a small stack, it ends before Jackson's own bound. */
    @ParameterizedTest
    @ValueSource(ints = {400, 5_000})
    void resultThatIsNestedTooDeeplyIsRefused(int depth) throws Exception {
        Node node = new Node("leaf", List.of());
        for (int i = 0; i < depth; i++) {
            node = new Node("n", List.of(node));
        }
        Node result = node;
        FutureTask<byte[]> encoding =
                new FutureTask<>(() -> CODECS.of(Node.class).encode(result));
        new Thread(null, encoding, "small", 200_000).start();
        assertThatThrownBy(encoding::get).hasCauseInstanceOf(JsonResultException.class);
    }

    @Test
    void numberThatJacksonWouldNotReadIsRefusedByItsReason() {
        assertThatThrownBy(() -> CODECS.of(BigInteger.class).encode(BigInteger.TEN.pow(1_001)))
                .isInstanceOf(JsonResultException.class)
                .hasMessageContaining("a number is longer");
    }

    /** As an operator may write it. */
    @Test
    void formOfTheJsonDoesNotMatter() {
        assertThat(CODECS.of(new TypeReference<Map<String, String>>() {})
                        .decode(bytes("{ \"version\" : 1,\n \"result\": {\"b\": \"\\uD83D\\uDE00\", \"a\": \"\"} }")))
                .isEqualTo(Map.of("a", "", "b", "\uD83D\uDE00"));
        assertThat(CODECS.of(Account.class).decode(bytes("{\"version\":1,\"result\":{\"owner\":\"o\",\"balance\":7}}")))
                .isEqualTo(new Account("o", 7));
    }

    @Test
    void messagesShowNoValueOfAResult() {
        for (String secret :
                List.of("{\"balance\":\"s3cret\",\"owner\":\"o\"}", "{\"balance\":s3cret}", "\"s3cret\"")) {
            assertThatThrownBy(() -> CODECS.of(Account.class).decode(stored(secret)))
                    .isInstanceOf(JsonResultException.class)
                    .hasNoCause()
                    .message()
                    .doesNotContain("s3cret");
        }
        assertThatThrownBy(() ->
                        CODECS.of(new TypeReference<Map<String, Integer>>() {}).decode(stored("{\"s3cret\":\"x\"}")))
                .isInstanceOf(JsonResultException.class)
                .message()
                .doesNotContain("s3cret");
    }

    @SuppressWarnings("ArrayRecordComponent") // is what is refused
    record Bytes(byte[] content) {}

    record Nested(Optional<Optional<String>> twice) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Sparse(String maybe) {}

    @Test
    void aResultThatDoesNotComeBackIsRefusedWhenItIsEncoded() {
        assertThatThrownBy(() -> CODECS.of(Bytes.class).encode(new Bytes(new byte[] {1})))
                .isInstanceOf(JsonResultException.class)
                .hasMessageContaining("equals()");
        assertThatThrownBy(() -> CODECS.of(Nested.class))
                .isInstanceOf(RefusedTypeException.class)
                .hasMessageContaining("Nested.twice");
        assertThatThrownBy(() -> CODECS.of(Sparse.class).encode(new Sparse(null)))
                .isInstanceOf(JsonResultException.class)
                .hasMessageContaining(".maybe");
        assertThatThrownBy(
                        () -> CODECS.of((java.lang.reflect.Type) Account.class).encode("text"))
                .isInstanceOf(JsonResultException.class)
                .hasMessageContaining("java.lang.String");
    }

    @Test
    void anUnstorableResultLeavesNoEffect() {
        ResultCodec<Bytes> codec = CODECS.of(Bytes.class);
        var store = new InMemoryIdempotencyStore();
        var operation = Idempotency.on(store).operation("pay", codec).build();
        assertThatThrownBy(() -> operation.execute(
                        Attempt.inScope("user:1").key("k").request("r"), handle -> new Bytes(new byte[] {1})))
                .isInstanceOf(UnstorableResultException.class)
                .hasCauseInstanceOf(JsonResultException.class);
    }

    private static byte[] stored(String result) {
        return bytes("{\"version\":1,\"result\":" + result + "}");
    }

    private static byte[] bytes(String json) {
        return json.getBytes(StandardCharsets.UTF_8);
    }
}
