package io.counterpoint.idempotency.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.IdempotencyKey;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;

/** Requests a charge from the {@link Provider}. Every later request with the key gets the same response. */
record ProviderClient(String address) {

    /** Returns the result of the key's first request, which may be this one. */
    String charge(IdempotencyKey key, String result) throws IOException, Declined {
        // This client loads quickly, which matters because workers are short-lived.
        HttpURLConnection connection =
                (HttpURLConnection) URI.create(address + key.hash() + "/" + key.value() + "/" + result)
                        .toURL()
                        .openConnection();
        connection.setConnectTimeout((int) Mode.PROVIDER_WAIT.toMillis());
        connection.setReadTimeout((int) Mode.PROVIDER_WAIT.toMillis());
        connection.setRequestMethod("POST");
        if (connection.getResponseCode() == HttpURLConnection.HTTP_PAYMENT_REQUIRED) {
            throw new Declined();
        }
        byte[] charged = connection.getInputStream().readAllBytes();
        // It mistakes the end of the connection for the end of the body.
        if (charged.length < connection.getContentLength()) {
            throw new IOException("the provider's answer was cut");
        }
        return new String(charged, UTF_8);
    }

    /** The provider declines, and remembers that for the key. */
    static final class Declined extends Exception {
        private static final long serialVersionUID = 1L;
    }
}
