package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sends the request of a {@code curl} command, on machines without curl. */
public final class Curl {

    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private Curl() {}

    /** The lines of a page that begin with curl. */
    public static List<String> linesOf(String page) {
        return page.lines().filter(line -> line.startsWith("curl ")).toList();
    }

    /** Sends the request to another port. */
    public static HttpResponse<String> send(String line, String port) throws IOException, InterruptedException {
        return CLIENT.send(request(line, port), HttpResponse.BodyHandlers.ofString());
    }

    /** Sends the request without waiting for the response. */
    public static CompletableFuture<?> begin(String line, String port) {
        return CLIENT.sendAsync(request(line, port), HttpResponse.BodyHandlers.ofString());
    }

    private static HttpRequest request(String line, String port) {
        List<String> words = new ArrayList<>();
        Matcher word = WORD.matcher(line);
        while (word.find()) {
            words.add(word.group(1) == null ? word.group(2) : word.group(1));
        }
        HttpRequest.Builder request = HttpRequest.newBuilder();
        for (int i = 1; i < words.size(); i++) {
            switch (words.get(i)) {
                case "-i" -> {
                    // The option to show the headers needs no action.
                }
                case "-u" ->
                    request.header(
                            "Authorization",
                            "Basic "
                                    + Base64.getEncoder()
                                            .encodeToString(words.get(++i).getBytes(StandardCharsets.UTF_8)));
                case "-H" -> {
                    String[] header = words.get(++i).split(": ", 2);
                    request.header(header[0], header[1]);
                }
                case "-d" -> request.POST(HttpRequest.BodyPublishers.ofString(words.get(++i)));
                default -> request.uri(URI.create(words.get(i).replace(":8080", ":" + port)));
            }
        }
        return request.build();
    }
}
