package io.counterpoint.idempotency.examples.appplatform;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterpoint.idempotency.examples.appplatform.page.Page;
import io.counterpoint.idempotency.examples.appplatform.page.ShownPlatform;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.LinkedHashMap;
import java.util.Map;

/** The page of a service on PostgreSQL, and a client that presses its buttons without a browser. */
final class TestPage implements AutoCloseable {

    final TestPlatform platform;
    final Page page;
    private final ObjectMapper mapper = new ObjectMapper();
    private final HttpClient http = HttpClient.newHttpClient();

    TestPage(boolean mendsOnSchedule) throws Exception {
        this(TestPlatform.empty(), mendsOnSchedule);
    }

    TestPage(TestPlatform platform, boolean mendsOnSchedule) throws Exception {
        this.platform = platform;
        page = new Page(
                new ShownPlatform(
                        platform.address,
                        platform.url(),
                        TestPlatform.OPERATOR_HEADER.get(1).substring("Bearer ".length()),
                        mendsOnSchedule,
                        platform.platform.createApp),
                0,
                line -> {});
    }

    /** The URL of the page's server, without a path. */
    String url() {
        return page.address().replaceFirst("/\\?.*", "");
    }

    String token() {
        return page.address().replaceFirst(".*token=", "");
    }

    int port() {
        return URI.create(url()).getPort();
    }

    /** Performs an action with the given fields. */
    JsonNode act(String action, Object... fields) throws Exception {
        HttpResponse<String> response = post(action, fields);
        if (response.statusCode() != 200) {
            throw new AssertionError(action + ": " + response.body());
        }
        return mapper.readTree(response.body());
    }

    HttpResponse<String> post(String action, Object... fields) throws Exception {
        Map<String, Object> body = new LinkedHashMap<>();
        for (int i = 0; i < fields.length; i += 2) {
            body.put((String) fields[i], fields[i + 1]);
        }
        HttpRequest request = HttpRequest.newBuilder(URI.create(url() + "/actions/" + action))
                .header("Content-Type", "application/json")
                .header("Page-Token", token())
                .POST(BodyPublishers.ofString(mapper.writeValueAsString(body)))
                .build();
        return http.send(request, BodyHandlers.ofString());
    }

    HttpResponse<String> get(String path) throws Exception {
        return http.send(HttpRequest.newBuilder(URI.create(url() + path)).build(), BodyHandlers.ofString());
    }

    long count(String from) {
        return platform.count(from);
    }

    @Override
    public void close() {
        page.close();
        platform.close();
    }
}
