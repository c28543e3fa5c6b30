package io.counterpoint.idempotency.examples.groupcreation.breaker;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.examples.groupcreation.CreateGroupRequest;
import io.counterpoint.idempotency.examples.groupcreation.breaker.RequestFile.Malformed;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequestFileTest {

    @Test
    void lineIsARequest() throws Exception {
        assertThat(read("ann,k1,\"Chess, \"\"blitz\"\"\",bob; cid;;bob;ann").requests())
                .containsExactly(new CreateGroupRequest("ann", "k1", "Chess, \"blitz\"", List.of("bob", "cid")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
                    ann,,Chess,bob             | no key
                    ann,a key,Chess,bob        | a user or key that the library refuses
                    ann ann,k1,Chess,bob       | a user or key that the library refuses
                    ,k1,Chess,bob              | no user
                    ann,k1,,bob                | no name
                    ann,k1                     | fewer than 4 columns
                    ann,k1,Chess,bob,cid       | more than 4 columns
                    ann,k1,"Chess,bob          | quotation marks do not match
                    ann,k1,"Chess" club,bob    | quotation marks do not match
                    ann,k1,Chess\u0007,bob     | not printable UTF-8 text
                    ann,k1,Chess\uFFFD,bob     | not printable UTF-8 text
                    """)
    void malformedLineIsKeptWithItsNumberAndSpoilsNoOther(String line, String reason) throws Exception {
        RequestFile file = read("ann,k1,Chess,bob", "", line, "ann,k2,\"Chess\",bob");

        assertThat(file.malformed()).containsExactly(new Malformed(4, reason));
        assertThat(file.requests()).extracting(CreateGroupRequest::key).containsExactly("k1", "k2");
    }

    @Test
    void userThatIsLongerThanItsColumnIsMalformed() throws Exception {
        assertThat(read("a".repeat(81) + ",k1,Chess,", "ann,k1,Chess," + "b".repeat(81))
                        .malformed())
                .extracting(Malformed::reason)
                .containsOnly("a user of more than 80 characters");
    }

    @Test
    void fileWithoutTheHeaderHasNoRequest() throws Exception {
        assertThat(RequestFile.read(new ByteArrayInputStream(
                                "ann,k1,Chess,bob\nann,k2,Chess,bob\n".getBytes(StandardCharsets.UTF_8)))
                        .lines())
                .isZero();
    }

    @Test
    void byteOrderMarkIsAccepted() throws Exception {
        String text = "\uFEFF" + RequestFile.HEADER + "\r\nann,k1,Chess,bob\r\n";

        assertThat(RequestFile.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)))
                        .requests())
                .hasSize(1);
    }

    @Test
    void requestsArePrintedAsTheyAreRead() throws Exception {
        List<CreateGroupRequest> requests = List.of(
                new CreateGroupRequest("ann", "k1", "Chess, \"blitz\"", List.of("bob", "cid")),
                new CreateGroupRequest("bob", "k2", "聊天群", List.of()));

        assertThat(RequestFile.read(new ByteArrayInputStream(
                                RequestFile.print(requests).getBytes(StandardCharsets.UTF_8)))
                        .requests())
                .isEqualTo(requests);
    }

    private static RequestFile read(String... lines) throws IOException {
        String text = RequestFile.HEADER + "\n" + String.join("\n", lines) + "\n";
        return RequestFile.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }
}
