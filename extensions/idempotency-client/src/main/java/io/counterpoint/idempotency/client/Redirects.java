package io.counterpoint.idempotency.client;

import java.io.IOException;
import java.net.http.HttpClient;

/** A redirected POST is sent on as a GET: the answer is that of another page, and its success says nothing. */
final class Redirects {

    private Redirects() {}

    static HttpClient refusedBy(HttpClient http) {
        if (http.followRedirects() != HttpClient.Redirect.NEVER) {
            throw new IllegalArgumentException(
                    "A client that does not follow redirects is needed, found one that does ("
                            + http.followRedirects()
                            + "): it may send a POST on as a GET, whose success would say nothing."
                            + " Build it with followRedirects(NEVER).");
        }
        return http;
    }

    /** There is an answer, and nobody knows of which page. */
    static final class PerhapsFollowedException extends IOException {
        private static final long serialVersionUID = 1L;

        PerhapsFollowedException() {
            super(
                    "There is an answer, perhaps of a page behind a redirect: the request factory is not known to follow none."
                            + " Build it with IdempotentCallInterceptor.requestFactory(…), or let yours follow none and say so with"
                            + " assumingNoRedirects(). Then go on with the same key.");
        }
    }
}
