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
 * Pays at a provider, and asks what was paid. Thread-safe.
 *
 * @param url where the provider listens
 * @param timeout how long an answer may take, asked for each request
 */
public record PaymentClient(String url, Supplier<Duration> timeout) implements ChargePayment.Provider {

    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();

    /**
     * Pays once under a key, however often it is called with it.
     *
     * @param key 64 lower-case hexadecimal digits
     * @param amount how much
     * @throws PaymentRefusedException if the provider has refused it, for good
     * @throws java.net.ConnectException if the provider was not reached: nothing was sent
     * @throws IOException if there was no answer; the payment may be made, or be made later
     */
    @Override
    public void pay(String key, long amount) throws PaymentRefusedException, IOException {
        BodyPublisher body = BodyPublishers.ofString(Long.toString(amount));
        if (send(request(key).PUT(body), 402).isEmpty()) {
            throw new PaymentRefusedException();
        }
    }

    /**
     * Asks for a payment.
     *
     * @param key its key
     * @return what was charged; empty if nothing was charged yet
     * @throws IOException if there was no answer
     */
    @Override
    public Optional<Long> find(String key) throws IOException {
        return send(request(key).GET(), 404).map(Long::valueOf);
    }

    /**
     * Asks how many payments were charged.
     *
     * @return the number
     * @throws IOException if there was no answer
     */
    public long count() throws IOException {
        return send(request("").GET(), 404).map(Long::valueOf).orElseThrow();
    }

    private HttpRequest.Builder request(String key) {
        return HttpRequest.newBuilder(URI.create(url + PaymentProvider.PATH + key))
                .timeout(timeout.get());
    }

    /** What the provider says, or nothing if its answer has this other status. */
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
