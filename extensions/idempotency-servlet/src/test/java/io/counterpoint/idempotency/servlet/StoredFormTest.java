package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is stored of a response, byte by byte: records outlive releases. */
class StoredFormTest {

    static Stream<Arguments> responses() {
        byte[] body = "{}".getBytes(StandardCharsets.UTF_8);
        return Stream.of(
                Arguments.of(
                        StoredResponse.of(201, "application/json", body).withHeader("Location", "/r/1"),
                        "010000c90004000c436f6e74656e742d5479706500106170706c69636174696f6e2f6a736f6e"
                                + "00084c6f636174696f6e00042f722f31000000027b7d"),
                Arguments.of(
                        StoredResponse.withoutBody(200, new StoredHeaders(List.of("Content-Type", "text/plain"))),
                        "010100c80002000c436f6e74656e742d54797065000a746578742f706c61696e00000000"),
                Arguments.of(
                        StoredResponse.ofError(404, "gone", new StoredHeaders(List.of())),
                        "01020194000200000004676f6e6500000000"),
                Arguments.of(
                        StoredResponse.ofError(404, null, new StoredHeaders(List.of())),
                        "01020194000200012d000000000000"));
    }

    @ParameterizedTest
    @MethodSource("responses")
    void storedFormStaysTheSame(StoredResponse response, String stored) throws IOException {
        assertThat(HexFormat.of().formatHex(response.encode())).isEqualTo(stored);
        assertThat(StoredResponse.decode(HexFormat.of().parseHex(stored)).encode())
                .isEqualTo(response.encode());
    }
}
