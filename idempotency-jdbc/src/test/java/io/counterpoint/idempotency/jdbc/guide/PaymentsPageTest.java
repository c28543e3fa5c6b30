package io.counterpoint.idempotency.jdbc.guide;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of the page about payments, as it stands there, with a provider over HTTP. */
class PaymentsPageTest {

    private static final Path PAGE = Path.of("../docs/payments.md");

    @TempDir
    private Path folder;

    private final Map<String, String> charges = new ConcurrentHashMap<>();
    private final List<String> asked = new ArrayList<>();
    private HttpServer provider;
    private boolean declines;

    @BeforeEach
    void startProvider() throws IOException {
        provider = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        provider.createContext("/charges", this::answer);
        provider.start();
    }

    @AfterEach
    void stopProvider() {
        provider.stop(0);
    }

    /** Charges once for each key, and loses its first reply. */
    private void answer(HttpExchange exchange) throws IOException {
        asked.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        String key = exchange.getRequestHeaders().getFirst("Idempotency-Key");
        byte[] charge = charges.computeIfAbsent(key, unused -> "ch_" + (charges.size() + 1))
                .getBytes(StandardCharsets.UTF_8);
        if (asked.size() > 1) {
            exchange.sendResponseHeaders(declines ? 402 : 201, charge.length);
            exchange.getResponseBody().write(charge);
        }
        exchange.close();
    }

    @Test
    void programChargesOnceThoughAReplyIsLost() throws Exception {
        assertThat(linesOfTheProgram()).containsExactly("EXTERNAL_FAILED, retry: true", "ch_1", "ch_1");

        assertThat(asked).containsExactly("tok_visa 1250", "tok_visa 1250");
        assertThat(charges).hasSize(1);
        assertThat(Files.readString(PAGE)).contains("this prints `EXTERNAL_FAILED, retry: true`");
    }

    @Test
    void programKeepsADeclinedCard() throws Exception {
        declines = true;

        assertThat(linesOfTheProgram())
                .containsExactly("EXTERNAL_FAILED, retry: true", "FAILED, retry: false", "FAILED, retry: false");

        assertThat(asked).hasSize(2);
    }

    private List<String> linesOfTheProgram() throws Exception {
        String page = Files.readString(PAGE);
        int start = page.indexOf("```java\n") + "```java\n".length();
        Path source = Files.writeString(
                folder.resolve("ChargeCard.java"),
                // Each run has a database of its own.
                page.substring(start, page.indexOf("```", start))
                        .replace("mem:payments", "mem:" + folder.getFileName()));
        String path = System.getProperty("java.class.path");
        assertThat(ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, "-d", folder.toString(), "-cp", path, source.toString()))
                .isZero();
        PrintStream console = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
            System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
            loader.loadClass("ChargeCard").getMethod("main", String[].class).invoke(null, (Object)
                    new String[] {"http://127.0.0.1:" + provider.getAddress().getPort() + "/charges"});
        } finally {
            System.setOut(console);
        }
        return printed.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
