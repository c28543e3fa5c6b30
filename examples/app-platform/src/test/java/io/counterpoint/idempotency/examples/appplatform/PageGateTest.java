package io.counterpoint.idempotency.examples.appplatform;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Only a user who has the page's URL may use it, from its own origin and on this machine. */
@Tag("thorough")
class PageGateTest {

    private static TestPage test;

    @BeforeAll
    static void open() throws Exception {
        test = new TestPage(true);
    }

    @AfterAll
    static void close() {
        test.close();
    }

    @Test
    void addressOpensThePageAndItsEvents() throws Exception {
        var page = test.get("/?token=" + test.token());
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.body()).contains("<title>Break the platform</title>").doesNotContain("{{nonce}}");
        assertThat(page.headers().firstValue("Content-Security-Policy"))
                .hasValueSatisfying(policy -> assertThat(policy).contains("default-src 'none'"));
        assertThat(page.headers().firstValue("Cache-Control")).hasValue("no-store");
        assertThat(answer("GET /events?token=" + test.token(), "Host: 127.0.0.1:" + test.port()))
                .startsWith("HTTP/1.1 200");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/events", "/actions/kill", "/actions/create-unprotected", "/nothing"})
    void nothingIsOpenWithoutTheToken(String path) throws Exception {
        assertThat(test.get(path).statusCode()).isEqualTo(401);
        assertThat(test.get(path + "?token=" + test.token().substring(1)).statusCode())
                .isEqualTo(401);
        assertThat(answer("POST " + path, "Host: 127.0.0.1:" + test.port(), "Content-Length: 0"))
                .startsWith("HTTP/1.1 401");
        assertThat(answer(
                        "POST " + path + "?token=" + test.token(),
                        "Host: 127.0.0.1:" + test.port(),
                        "Content-Length: 0"))
                .as("a form of another page can send the address, and no header")
                .startsWith("HTTP/1.1 401");
    }

    @ParameterizedTest
    @CsvSource({
        "Host: evil.example,                                    421",
        "Host: evil.example:PORT,                               421",
        "Host: 127.0.0.1,                                       421",
        "Host: 127.0.0.1:PORT|Origin: http://evil.example,      403",
        "Host: 127.0.0.1:PORT|Origin: http://127.0.0.1:1,       403",
        "Host: 127.0.0.1:PORT|Origin: null,                     403",
        "Host: 127.0.0.1:PORT|Origin: https://127.0.0.1:PORT,   403",
        "Host: 127.0.0.1:PORT|Sec-Fetch-Site: cross-site,       403",
        "Host: 127.0.0.1:PORT|Sec-Fetch-Site: same-site,        403",
        "Host: 127.0.0.1:PORT|Origin: http://127.0.0.1:PORT,    400",
        "Host: localhost:PORT|Origin: http://localhost:PORT,    400",
        "Host: 127.0.0.1:PORT|Sec-Fetch-Site: same-origin,      400",
    })
    void foreignHostOrOriginIsRefusedWithTheTokenToo(String headers, int status) throws Exception {
        String all = headers.replace("PORT", Integer.toString(test.port())) + "|Page-Token: " + test.token()
                + "|Content-Length: 0";
        assertThat(answer("POST /actions/press", all.split("\\|"))).startsWith("HTTP/1.1 " + status);
    }

    @Test
    void otherAddressesOfThisMachineDoNotAnswer() throws Exception {
        for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
            for (InetAddress address : each.inetAddresses().toList()) {
                if (!address.isLoopbackAddress()) {
                    assertThat(connects(address)).as(address.toString()).isFalse();
                }
            }
        }
        assertThat(connects(InetAddress.getLoopbackAddress())).isTrue();
    }

    @Test
    void nothingIsPlantedWhileTheServiceMendsOnSchedule() throws Exception {
        long versions = test.count("app_version");
        assertThat(test.post("plant", "damage", "dangling_version").statusCode())
                .isEqualTo(409);
        assertThat(test.count("app_version")).isEqualTo(versions);
    }

    @Test
    void everyActionLinksToAParagraphAndATestThatAreThere() throws Exception {
        JsonNode actions = new ObjectMapper()
                .readTree(test.get("/actions/?token=" + test.token()).body());
        assertThat(actions).isNotEmpty();
        for (JsonNode action : actions) {
            String[] paragraph = action.path("paragraph").asText().split("#", 2);
            List<String> headings = Files.readAllLines(Path.of("../..", paragraph[0])).stream()
                    .filter(line -> line.startsWith("#"))
                    .map(line -> line.replaceFirst("#+ ", "")
                            .toLowerCase(Locale.ROOT)
                            .replaceAll("[^a-z0-9 -]", "")
                            .replace(' ', '-'))
                    .toList();
            assertThat(headings).contains(paragraph[1]);
            assertThat(Path.of("../..", action.path("test").asText())).isRegularFile();
        }
    }

    private static boolean connects(InetAddress address) throws Exception {
        try (Socket socket = new Socket(address, test.port())) {
            return socket.isConnected();
        } catch (ConnectException refused) {
            return false;
        }
    }

    /** The beginning of the response to a request with only these headers. */
    private static String answer(String request, String... headers) throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), test.port())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream()
                    .write((request + " HTTP/1.1\r\n" + String.join("\r\n", headers) + "\r\nConnection: close\r\n\r\n")
                            .getBytes(UTF_8));
            return new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8)).readLine();
        }
    }
}
