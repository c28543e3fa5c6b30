package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.http.ProblemType;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every exchange on the pages was held with a server, to the letter; only the lines' ends differ, and those that all problems
 * have are left out of all but the first. {@code -Dpage.write=true} writes them anew.
 */
class HttpPageTest {

    private static final Path OF_CLIENTS = Path.of("../../docs/http-clients.md");
    private static final Path OF_SERVICES = Path.of("../../docs/http.md");
    private static final List<Pattern> OF_ALL_PROBLEMS = Stream.of(
                    "Host: payments\\.example\n",
                    "Content-Type: text/plain\nContent-Length: \\d+\n",
                    "Cache-Control: no-store\n",
                    "Link: <https://payments\\.example/idempotency>; rel=\"describedby\"\n",
                    "Content-Type: application/problem\\+json\nContent-Length: \\d+\n")
            .map(Pattern::compile)
            .toList();
    private static final Pattern EXCHANGE =
            Pattern.compile("<!-- exchange: ([a-z0-9-]+) -->\n```http\n(.*?)```\n", Pattern.DOTALL);
    private static final String UUID = "\"8e03978e-40d5-43e8-bc93-6894a57f9324\"";

    private final Map<String, String> held = new LinkedHashMap<>();

    @Test
    void everyProblemHasAnExchangeOnThePage() throws Exception {
        String page = Files.readString(OF_CLIENTS);
        for (ProblemType problem : ProblemType.values()) {
            assertThat(page).contains("### " + problem.slug() + "\n", "<!-- exchange: " + problem.slug() + " -->");
        }
    }

    @Test
    void everyExchangeOnThePageIsWhatAServerAnswers() throws Exception {
        try (Payments payments = new Payments()) {
            hold(payments);
        }
        Map<String, String> shown = new LinkedHashMap<>();
        for (Path file : List.of(OF_CLIENTS, OF_SERVICES)) {
            String page = Files.readString(file);
            if (Boolean.getBoolean("page.write")) {
                page = EXCHANGE.matcher(page)
                        .replaceAll(found -> Matcher.quoteReplacement("<!-- exchange: " + found.group(1)
                                + " -->\n```http\n" + shown(found.group(1)) + "```\n"));
                Files.writeString(file, page);
            }
            for (Matcher matcher = EXCHANGE.matcher(page); matcher.find(); ) {
                shown.put(matcher.group(1), matcher.group(2));
            }
        }
        assertThat(shown.keySet()).isEqualTo(held.keySet());
        shown.forEach((name, text) -> assertThat(text).isEqualTo(shown(name)));
    }

    /** As the page has it: the first problem, and what is no problem, whole. */
    private String shown(String name) {
        String whole = held.getOrDefault(name, "none");
        boolean shortened = !name.equals("key-missing")
                && Stream.of(ProblemType.values())
                        .anyMatch(problem -> problem.slug().equals(name));
        String text = whole;
        for (Pattern common : shortened ? OF_ALL_PROBLEMS : List.<Pattern>of()) {
            assertThat(text).containsPattern(common);
            text = common.matcher(text).replaceFirst("");
        }
        return text;
    }

    private void hold(Payments payments) throws Exception {
        exchange(payments, "first", "/payments", UUID, "coffee");
        exchange(payments, "replay", "/payments", UUID, "coffee");
        exchange(payments, "response-first", "/transfers/1", UUID, "coffee");
        exchange(payments, "response-replay", "/transfers/1", UUID, "coffee");
        payments.revoked = true;
        exchange(payments, "replay-refused", "/transfers/1", UUID, "coffee");
        payments.revoked = false;
        exchange(payments, "key-missing", "/payments", null, "coffee");
        exchange(payments, "key-invalid", "/payments", "one, two", "coffee");
        exchange(payments, "key-reused", "/payments", UUID, "cake");
        exchange(payments, "request-malformed", "/payments?note=%ZZ", "\"malformed\"", "coffee");
        held.put(
                "caller-unknown",
                talk(payments, "/payments", "Idempotency-Key: " + UUID + "\nCaller: nobody\n", "tea"));
        exchange(payments, "key-expired", "/timed", "\"019b6e77-8000-7000-8000-000000000000\"", "coffee");
        exchange(payments, "body-too-large", "/payments", "\"large\"", "x".repeat(10_001));
        held.computeIfPresent("body-too-large", (name, text) -> text.replace("x".repeat(10_001), "(10,001 bytes)"));

        payments.work = () -> {
            throw new IllegalArgumentException("declined");
        };
        talk(payments, "/payments", "Idempotency-Key: \"declined\"\n", "coffee");
        exchange(payments, "attempt-failed", "/payments", "\"declined\"", "coffee");
        payments.work = () -> {};

        payments.store.at(StoreCall.OPEN).fails(Fault.STATEMENT_REFUSED);
        exchange(payments, "store-unavailable", "/payments", "\"store-down\"", "coffee");

        talk(payments, "/badly-read", "Idempotency-Key: \"unreadable\"\n", "coffee");
        exchange(payments, "result-unreadable", "/badly-read", "\"unreadable\"", "coffee");
        exchange(payments, "not-started", "/badly-planned", "\"unplanned\"", "coffee");
        exchange(payments, "result-unstorable", "/badly-written", "\"unstorable\"", "coffee");

        payments.work = () -> payments.store.at(StoreCall.SUCCEED).changesNothing();
        exchange(payments, "outcome-unresolved", "/payments", "\"ended\"", "coffee");
        unknown(payments);

        outstanding(payments);

        payments.transfer = (request, response) -> {
            response.setStatus(201);
            response.setHeader("Location", "/transfers/2");
            response.getOutputStream().write(new byte[5000]);
        };
        talk(payments, "/transfers/2", "Idempotency-Key: \"large-answer\"\n", "coffee");
        exchange(payments, "answer-not-kept", "/transfers/2", "\"large-answer\"", "coffee");

        payments.transfer = (request, response) -> response.setStatus(500);
        talk(payments, "/limited", "Idempotency-Key: \"no-answer\"\n", "coffee");
        exchange(payments, "too-many-unresolved", "/limited", "\"another\"", "coffee");
    }

    private void unknown(Payments payments) throws Exception {
        payments.work = () -> {
            // The lock and the mark are answered, the commit is not, and nobody can be asked what became of it.
            payments.store.at(StoreCall.COMMIT).losesAnswer();
            payments.storeIsGone();
        };
        exchange(payments, "outcome-unknown", "/payments", "\"unknown\"", "coffee");
        payments.store.disarm();
        payments.work = () -> {};
    }

    private void outstanding(Payments payments) throws Exception {
        CountDownLatch working = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        payments.work = () -> {
            working.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        };
        Thread leader = new Thread(() -> {
            try {
                talk(payments, "/payments", "Idempotency-Key: \"slow\"\n", "coffee");
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        leader.start();
        working.await();
        exchange(payments, "request-outstanding", "/payments", "\"slow\"", "coffee");
        goOn.countDown();
        leader.join();
        payments.work = () -> {};
    }

    private void exchange(Payments payments, String name, String path, String key, String body) throws IOException {
        held.put(name, talk(payments, path, key == null ? "" : "Idempotency-Key: " + key + "\n", body));
    }

    /** Request and response as they went over the socket. */
    private static String talk(Payments payments, String path, String headers, String body) throws IOException {
        String request = "POST " + path + " HTTP/1.1\nHost: payments.example\n" + headers
                + "Content-Type: text/plain\nContent-Length: " + body.length() + "\n\n" + body;
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), payments.server.port())) {
            socket.getOutputStream().write(request.replace("\n", "\r\n").getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                int read = in.read();
                if (read < 0) {
                    throw new EOFException("The server hung up after: " + head);
                }
                head.append((char) read);
            }
            Matcher length = Pattern.compile("(?i)content-length: (\\d+)").matcher(head);
            int bytes = length.find() ? Integer.parseInt(length.group(1)) : 0;
            return request + "\n\n" + head.toString().replace("\r\n", "\n")
                    + new String(in.readNBytes(bytes), StandardCharsets.UTF_8) + "\n";
        }
    }
}
