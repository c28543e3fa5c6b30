package io.counterpoint.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A text is stored so that a retry gets the same one, or not at all. */
class TextCodecTest {

    private final ResultCodec<String> codec = ResultCodec.string();

    @ParameterizedTest
    @ValueSource(strings = {"\ud83d", "\ude00", "a\ud83d!", "\ude00\ud83d", "\ud83d\ud83d\ude00"})
    void textWithHalfASurrogatePairIsRefused(String text) {
        assertThatThrownBy(() -> codec.encode(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("an unpaired surrogate");
        Operation<?, String> operation = Idempotency.on(new InMemoryIdempotencyStore())
                .operation("print", codec)
                .build();
        Attempt attempt = Attempt.inScope("user:42").key("key-1").withoutRequest();
        assertThatThrownBy(() -> operation.execute(attempt, handle -> text))
                .isInstanceOf(UnstorableResultException.class)
                .hasRootCauseInstanceOf(java.nio.charset.CharacterCodingException.class);
        assertThat(operation.execute(attempt, handle -> "another")).isInstanceOf(Outcome.Rejected.class);
    }

    @Test
    void eachOtherTextIsDecodedAsItWas() throws Exception {
        StringBuilder all = new StringBuilder();
        for (int character = 0; character <= Character.MAX_CODE_POINT; character += character < 0x10000 ? 1 : 97) {
            if (character < Character.MIN_SURROGATE || character > Character.MAX_SURROGATE) {
                all.appendCodePoint(character);
            }
        }
        assertThat(codec.decode(codec.encode(all.toString())).equals(all.toString()))
                .isTrue();
        assertThat(codec.decode(codec.encode(""))).isEmpty();
    }

    @Test
    void bytesThatAreNoUtf8AreNotDecoded() {
        for (byte[] bytes :
                new byte[][] {{(byte) 0xff}, {(byte) 0xe2, (byte) 0x82}, "\u00e9".getBytes(StandardCharsets.ISO_8859_1)
                }) {
            assertThatThrownBy(() -> codec.decode(bytes)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
