package io.counterpoint.idempotency.client;

import java.io.IOException;
import java.net.http.HttpClient;

/** A redirected POST is sent as a GET: the response comes from a different page, and its success proves nothing. */
final class Redirects {

    private Redirects() {}

    static HttpClient refusedBy(HttpClient http) {
        if (http.followRedirects() != HttpClient.Redirect.NEVER) {
            throw new IllegalArgumentException("The client follows redirects (" + http.followRedirects() + "), so it"
                    + " may turn a POST into a GET whose success proves nothing. Build it with"
                    + " followRedirects(NEVER).");
        }
        return http;
    }

    /** Thrown if it is unknown which page a response came from. */
    static final class PerhapsFollowedException extends IOException {
        private static final long serialVersionUID = 1L;

        PerhapsFollowedException() {
            super("A response arrived, but it may come from a page behind a redirect, because the request factory is"
                    + " not known to ignore redirects. Build it with IdempotentCallInterceptor.requestFactory(…), or"
                    + " disable redirects in yours and declare it with assumingNoRedirects(). Then retry with the"
                    + " same key.");
        }
    }
}
