package io.counterpoint.idempotency.torture;

import io.counterpoint.idempotency.IdempotencyKey;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** Asks the {@link Provider} for a charge. Whoever asks again under the key gets the same answer. */
final class ProviderClient {

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Mode.PROVIDER_WAIT)
            .build();
    private final URI address;

    ProviderClient(String address) {
        this.address = URI.create(address);
    }

    /** Returns the result of the key's first request, which is this one or another. */
    String charge(IdempotencyKey key, String result) throws IOException, InterruptedException, Declined {
        HttpRequest request = HttpRequest.newBuilder(address)
                .timeout(Mode.PROVIDER_WAIT)
                .POST(BodyPublishers.ofString(key.hash() + " " + key.value() + " " + result))
                .build();
        HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
        return switch (response.statusCode()) {
            case Provider.CHARGED -> response.body();
            case Provider.DECLINED -> throw new Declined();
            default -> throw new IOException("the provider answered " + response.statusCode());
        };
    }

    /** The provider says no, and keeps that under the key. */
    static final class Declined extends Exception {
        private static final long serialVersionUID = 1L;
    }
}
