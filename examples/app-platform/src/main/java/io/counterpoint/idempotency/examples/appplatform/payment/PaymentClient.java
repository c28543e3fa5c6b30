package io.counterpoint.idempotency.examples.appplatform.payment;

import io.counterpoint.idempotency.examples.appplatform.usecase.ChargePayment;
import io.counterpoint.idempotency.examples.appplatform.usecase.PaymentRefusedException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Pays at a provider, and looks payments up. Thread-safe.
 *
 * @param url the provider's URL
 * @param timeout the request timeout, read before each request
 */
public record PaymentClient(String url, Supplier<Duration> timeout) implements ChargePayment.Provider {

    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();

    /**
     * Pays once per key, however many times it is called.
     *
     * @param key 64 lower-case hexadecimal digits
     * @param amount the amount
     * @throws PaymentRefusedException if the provider has declined the payment, permanently
     * @throws java.net.ConnectException if the provider could not be reached: nothing was sent
     * @throws IOException if there was no response; the payment may have been made, or may be made later
     */
    @Override
    public void pay(String key, long amount) throws PaymentRefusedException, IOException {
        BodyPublisher body = BodyPublishers.ofString(Long.toString(amount));
        if (send(request(key).PUT(body), 402).isEmpty()) {
            throw new PaymentRefusedException();
        }
    }

    /**
     * Looks a payment up.
     *
     * @param key its key
     * @return the amount charged; empty if nothing has been charged yet
     * @throws IOException if there was no response
     */
    @Override
    public Optional<Long> find(String key) throws IOException {
        return send(request(key).GET(), 404).map(Long::valueOf);
    }

    /**
     * Returns the number of payments that were charged.
     *
     * @return the number
     * @throws IOException if there was no response
     */
    public long count() throws IOException {
        return send(request("").GET(), 404).map(Long::valueOf).orElseThrow();
    }

    private HttpRequest.Builder request(String key) {
        return HttpRequest.newBuilder(URI.create(url + PaymentProvider.PATH + key))
                .timeout(timeout.get());
    }

    /** The body of the response, or empty if it has the other given status. */
    private Optional<String> send(HttpRequest.Builder request, int other) throws IOException {
        HttpResponse<String> answer;
        try {
            answer = HTTP.send(request.build(), BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("Interrupted while waiting for the payment provider.", e);
        }
        if (answer.statusCode() != 200 && answer.statusCode() != other) {
            throw new IOException("The payment provider returned status " + answer.statusCode() + ".");
        }
        return answer.statusCode() == 200 ? Optional.of(answer.body()) : Optional.empty();
    }
}
