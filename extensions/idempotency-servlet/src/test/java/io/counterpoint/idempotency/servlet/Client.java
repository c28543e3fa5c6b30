package io.counterpoint.idempotency.servlet;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.params.provider.Arguments;

/** The clients that requests are sent with: the JDK's, and curl where it is installed. */
enum Client {
    JDK {
        @Override
        Answer send(Request request) throws Exception {
            HttpRequest.Builder builder = HttpRequest.newBuilder(request.uri)
                    .method(request.method, HttpRequest.BodyPublishers.ofString(request.body));
            request.headers.forEach((name, values) -> values.forEach(value -> builder.header(name, value)));
            HttpResponse<String> response = sent(builder.build(), request.isLong() ? MOST_TRIES : 1);
            Map<String, List<String>> headers = new LinkedHashMap<>();
            response.headers().map().forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values));
            return new Answer(response.statusCode(), headers, response.body());
        }
    },
    CURL {
        @Override
        Answer send(Request request) throws Exception {
            List<String> command = new ArrayList<>(List.of("curl", "-sS", "-i", "--max-time", "60"));
            command.addAll(
                    request.method.equals("HEAD")
                            ? List.of("--head")
                            : List.of("-X", request.method, "--data-binary", "@-"));
            request.headers.forEach(
                    (name, values) -> values.forEach(value -> command.addAll(List.of("-H", name + ": " + value))));
            // Neither is curl's to add.
            command.addAll(
                    request.isLong()
                            ? List.of("-H", "Expect: 100-continue", "--expect100-timeout", "60")
                            : List.of("-H", "Expect:"));
            if (!request.headers.containsKey("Content-Type")) {
                command.addAll(List.of("-H", "Content-Type:"));
            }
            command.add(request.uri.toString());
            Process curl = new ProcessBuilder(command).redirectErrorStream(true).start();
            try (var in = curl.getOutputStream()) {
                in.write(request.body.getBytes(StandardCharsets.UTF_8));
            } catch (IOException notRead) {
                // Answered before all of it was read.
            }
            return Answer.parse(new String(curl.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        }
    };

    /**
     * A server that refuses a longer body does not read it, and may reset the connection before its answer is read. So curl
     * waits until the server asks for such a body. The JDK's client of Java 17 would wait for ever where the server refuses
     * it instead: it sends the body again, since nothing has run.
     */
    private static final int LONG = 64 * 1024;

    private static final int MOST_TRIES = 20;

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    abstract Answer send(Request request) throws Exception;

    private static HttpResponse<String> sent(HttpRequest request, int tries) throws IOException, InterruptedException {
        for (int left = tries - 1; ; left--) {
            try {
                return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
            } catch (IOException reset) {
                if (left == 0) {
                    throw reset;
                }
            }
        }
    }

    /** Each client on Jetty, and the JDK's on Tomcat too. */
    static List<Arguments> onContainers() {
        List<Arguments> all = new ArrayList<>();
        present().forEach(client -> all.add(Arguments.of(client, Container.Kind.JETTY)));
        all.add(Arguments.of(JDK, Container.Kind.TOMCAT));
        return all;
    }

    /** The clients that are on this machine. A missing one is reported. */
    static List<Client> present() {
        try {
            Process curl = new ProcessBuilder("curl", "--version")
                    .redirectErrorStream(true)
                    .start();
            curl.getInputStream().readAllBytes();
            if (curl.waitFor() == 0) {
                return List.of(JDK, CURL);
            }
        } catch (IOException notInstalled) {
            // Said below.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        System.out.println("curl is not installed: these tests use the JDK's client only.");
        return List.of(JDK);
    }

    /** A request; POST unless it says otherwise. */
    static final class Request {
        private final URI uri;
        private final Map<String, List<String>> headers = new LinkedHashMap<>();
        private String method = "POST";
        private String body = "";

        private Request(URI uri) {
            this.uri = uri;
        }

        static Request to(URI uri) {
            return new Request(uri);
        }

        Request method(String name) {
            method = name;
            return this;
        }

        Request header(String name, String value) {
            headers.computeIfAbsent(name, first -> new ArrayList<>()).add(value);
            return this;
        }

        Request key(String value) {
            return header("Idempotency-Key", value);
        }

        Request body(String text) {
            body = text;
            return this;
        }

        private boolean isLong() {
            return body.length() > LONG;
        }
    }

    /** An answer; headers by their lower-case names. */
    record Answer(int status, Map<String, List<String>> headers, String body) {

        static Answer parse(String text) {
            int end = text.indexOf("\r\n\r\n");
            if (!text.startsWith("HTTP/1.1 ") || end < 0) {
                throw new IllegalStateException("This is no answer: " + text);
            }
            String[] lines = text.substring(0, end).split("\r\n", -1);
            int status = Integer.parseInt(lines[0].split(" ", -1)[1]);
            if (status == 100) {
                return parse(text.substring(end + 4));
            }
            Map<String, List<String>> headers = new LinkedHashMap<>();
            for (int i = 1; i < lines.length; i++) {
                int colon = lines[i].indexOf(':');
                headers.computeIfAbsent(
                                lines[i].substring(0, colon).toLowerCase(Locale.ROOT), first -> new ArrayList<>())
                        .add(lines[i].substring(colon + 1).trim());
            }
            return new Answer(status, headers, text.substring(end + 4));
        }

        String header(String name) {
            return String.join(", ", headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of()));
        }

        boolean replayed() {
            return header("Idempotent-Replayed").equals("true");
        }

        /** The last part of the problem's type; empty if this is no problem. */
        String problem() {
            int from = body.indexOf("#") + 1;
            return header("content-type").equals("application/problem+json")
                    ? body.substring(from, body.indexOf('"', from))
                    : "";
        }
    }
}
