package io.counterpoint.idempotency.client;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequest;
import org.springframework.http.client.JdkClientHttpRequestFactory;

/** Follows no redirects, and records what its thread sends, because an interceptor cannot see the factory behind it. */
final class NoRedirects extends JdkClientHttpRequestFactory {

    private static final ThreadLocal<@Nullable URI> SENT = new ThreadLocal<>();

    NoRedirects(HttpClient http) {
        super(Redirects.refusedBy(http));
    }

    static void forget() {
        SENT.remove();
    }

    static boolean hasSent(HttpRequest request) {
        return request.getURI().equals(SENT.get());
    }

    @Override
    public ClientHttpRequest createRequest(URI uri, HttpMethod method) throws IOException {
        SENT.set(uri);
        return super.createRequest(uri, method);
    }
}
