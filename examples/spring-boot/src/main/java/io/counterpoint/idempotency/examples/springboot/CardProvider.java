package io.counterpoint.idempotency.examples.springboot;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/** Sends charges to the provider, and decides what its answers mean. */
@Component
class CardProvider {

    /** The provider keeps this refusal: it answers every later request with the key the same. */
    static final class CardDeclined extends Exception {
        private static final long serialVersionUID = 1L;
    }

    private final HttpClient http = HttpClient.newHttpClient();
    private final URI charges;
    private final Duration timeout;

    CardProvider(@Value("${payments.provider}") URI charges, @Value("${payments.timeout:10s}") Duration timeout) {
        this.charges = charges;
        this.timeout = timeout;
    }

    /** Returns the charge's identifier. What it throws, except {@link CardDeclined}, says nothing about the charge. */
    String charge(String key, Order order) throws IOException, InterruptedException, CardDeclined {
        HttpResponse<String> response = http.send(
                HttpRequest.newBuilder(charges)
                        .timeout(timeout)
                        .header("Idempotency-Key", key)
                        .POST(BodyPublishers.ofString(order.card() + " " + order.cents()))
                        .build(),
                BodyHandlers.ofString());
        return switch (response.statusCode()) {
            case 200, 201 -> response.body();
            case 402 -> throw new CardDeclined();
            default -> throw new IOException("The provider answered " + response.statusCode() + ".");
        };
    }
}
