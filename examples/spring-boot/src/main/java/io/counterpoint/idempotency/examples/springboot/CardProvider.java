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

/** Sends charges to the provider and interprets the status of each response. */
@Component
class CardProvider {

    /** The provider declined the charge, and will decline it again under the same key. */
    static final class CardDeclined extends Exception {
        private static final long serialVersionUID = 1L;
    }

    private final HttpClient http = HttpClient.newHttpClient();
    private final URI charges;

    CardProvider(@Value("${payments.provider}") URI charges) {
        this.charges = charges;
    }

    /**
     * Returns the charge's identifier. After any exception except {@link CardDeclined}, the charge may or may not
     * exist.
     */
    String charge(String key, Order order) throws IOException, InterruptedException, CardDeclined {
        HttpResponse<String> response = http.send(
                HttpRequest.newBuilder(charges)
                        .timeout(Duration.ofSeconds(10))
                        .header("Idempotency-Key", key)
                        .POST(BodyPublishers.ofString(order.card() + " " + order.cents()))
                        .build(),
                BodyHandlers.ofString());
        return switch (response.statusCode()) {
            case 200, 201 -> response.body();
            case 402 -> throw new CardDeclined();
            default -> throw new IOException("The provider returned status " + response.statusCode() + ".");
        };
    }
}
