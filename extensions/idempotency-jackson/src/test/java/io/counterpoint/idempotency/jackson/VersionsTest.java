package io.counterpoint.idempotency.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** A stored result carries its version, and upcasters read the older ones. */
class VersionsTest {

    /** Version 1 had {@code sum} in cents; version 2 had {@code total}; version 3 has a currency. */
    record Receipt(String id, BigDecimal total, String currency) {}

    private static final JsonCodec<Receipt> THIRD = JsonCodecs.strict()
            .of(Receipt.class)
            .version(3)
            .upcasting(1, node -> {
                var receipt = (ObjectNode) node;
                receipt.put("total", BigDecimal.valueOf(receipt.remove("sum").longValue(), 2));
                return receipt;
            })
            .upcasting(2, node -> ((ObjectNode) node).put("currency", "EUR"));

    private static final Receipt RECEIPT = new Receipt("r", new BigDecimal("12.50"), "EUR");

    @Test
    void everyOldVersionIsRead() {
        assertThat(THIRD.decode(bytes("{\"version\":1,\"result\":{\"id\":\"r\",\"sum\":1250}}")))
                .isEqualTo(RECEIPT);
        assertThat(THIRD.decode(bytes("{\"version\":2,\"result\":{\"id\":\"r\",\"total\":12.50}}")))
                .isEqualTo(RECEIPT);
        assertThat(THIRD.decode(THIRD.encode(RECEIPT))).isEqualTo(RECEIPT);
    }

    @Test
    void theVersionIsStored() {
        assertThat(new String(THIRD.encode(RECEIPT), StandardCharsets.UTF_8)).startsWith("{\"version\":3,\"result\":");
    }

    @Test
    void aNewerVersionIsRefusedByName() {
        assertThatThrownBy(() -> THIRD.decode(bytes("{\"version\":4,\"result\":{\"anything\":1}}")))
                .isInstanceOfSatisfying(
                        UnknownVersionException.class,
                        thrown -> assertThat(thrown.version()).isEqualTo(4))
                .hasMessageContaining("has version 4, but this codec reads up to version 3");
    }

    @Test
    void aVersionWithoutUpcasterIsRefusedByName() {
        assertThatThrownBy(() -> THIRD.decode(bytes("{\"version\":0,\"result\":{}}")))
                .isInstanceOf(UnknownVersionException.class)
                .hasMessageContaining("no upcaster reads it");
        assertThatThrownBy(() ->
                        JsonCodecs.strict().of(Receipt.class).version(2).decode(bytes("{\"version\":1,\"result\":{}}")))
                .isInstanceOf(UnknownVersionException.class);
    }

    @Test
    void whatAnUpcasterMakesIsReadStrictly() {
        assertThatThrownBy(() -> THIRD.decode(bytes("{\"version\":2,\"result\":{\"id\":\"r\",\"totl\":1}}")))
                .isInstanceOf(JsonResultException.class);
        assertThatThrownBy(
                        () -> THIRD.decode(bytes("{\"version\":2,\"result\":{\"id\":\"r\",\"id\":\"r\",\"total\":1}}")))
                .isInstanceOf(JsonResultException.class);
        assertThatThrownBy(() -> THIRD.decode(bytes("{\"version\":2,\"result\":{\"id\":\"r\",\"total\":1}}x")))
                .isInstanceOf(JsonResultException.class);
    }

    @Test
    void aGapBetweenVersionsIsFoundByTheFirstUse() {
        var gap = JsonCodecs.strict().of(Receipt.class).version(3).upcasting(1, node -> node);
        assertThatThrownBy(() -> gap.encode(RECEIPT))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("An upcaster is needed for each version from 1 to 2, found upcasters for [1].");
        assertThatThrownBy(() -> gap.decode(THIRD.encode(RECEIPT))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void impossibleVersionsAreRefusedAtOnce() {
        var codec = JsonCodecs.strict().of(Receipt.class);
        assertThatThrownBy(() -> codec.version(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> codec.upcasting(1, node -> node)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> THIRD.upcasting(2, node -> node)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> THIRD.version(2)).isInstanceOf(IllegalArgumentException.class);
    }

    private static byte[] bytes(String json) {
        return json.getBytes(StandardCharsets.UTF_8);
    }
}
