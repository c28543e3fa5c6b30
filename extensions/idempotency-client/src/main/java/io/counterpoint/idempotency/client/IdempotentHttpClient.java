package io.counterpoint.idempotency.client;

import io.counterpoint.idempotency.Fingerprint;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends requests through an {@link HttpClient}, each with one key for all of its tries.
 *
 * <p>A request is retried with the same key and the same bytes after a lost connection, a timeout, a 408, 425, 429 or
 * 5xx, or a 409 with {@code Retry-After}. Any other response ends the call. The body is read once, before the first
 * try.
 *
 * <p>An interrupted thread stays interrupted, and its call ends with a result that contains the key. An exception of
 * the caller's handler counts as a lost response.
 *
 * <p>Immutable and thread-safe. The caller's handler reads the body of a response only if the result contains it.
 */
public final class IdempotentHttpClient {

    private final HttpClient http;
    private final CallSettings settings;
    private final Calls calls;

    private IdempotentHttpClient(HttpClient http, CallSettings settings) {
        this.http = http;
        this.settings = settings;
        this.calls = new Calls(settings);
    }

    /**
     * Creates a client with the {@linkplain CallSettings#defaults() default settings}.
     *
     * @param http a client that does not follow redirects
     * @return the client
     * @throws IllegalArgumentException if it follows redirects, because it would send a redirected POST as a GET
     */
    public static IdempotentHttpClient over(HttpClient http) {
        return over(http, CallSettings.defaults());
    }

    /**
     * Creates a client.
     *
     * @param http a client that does not follow redirects
     * @param settings how calls are tried
     * @return the client
     * @throws IllegalArgumentException if it follows redirects, because it would send a redirected POST as a GET
     */
    public static IdempotentHttpClient over(HttpClient http, CallSettings settings) {
        return new IdempotentHttpClient(Redirects.refusedBy(http), settings);
    }

    /**
     * Makes a call with a new key. If this process dies before there is a result, the key is lost; to avoid that, use
     * the method with {@link ClientKeys}.
     *
     * @param request the request, without the header {@value CallKey#HEADER}
     * @param handler reads the body of a response that the result contains
     * @param <T> the body
     * @return the result
     * @throws IllegalArgumentException if the request has a key, or a body that cannot be read or is too large; nothing was
     *     sent
     */
    public <T> CallResult<HttpResponse<T>> send(HttpRequest request, BodyHandler<T> handler) {
        return calls.withNewKey(new Request(request).exchange(handler));
    }

    /**
     * Retries with the key of an earlier result. The request must be the same. The age of the key is not known here:
     * don't use it for longer than the service remembers keys.
     *
     * @param key the key of the earlier result
     * @param request the request, without the header {@value CallKey#HEADER}
     * @param handler reads the body of a response that the result contains
     * @param <T> the body
     * @return the result
     * @throws IllegalArgumentException if the request has a key, or a body that cannot be read or is too large; nothing was
     *     sent
     */
    public <T> CallResult<HttpResponse<T>> send(CallKey key, HttpRequest request, BodyHandler<T> handler) {
        return calls.goOn(key, new Request(request).exchange(handler));
    }

    /**
     * Makes a call whose key is stored before its first try, or continues with the stored key. A definite result marks
     * the call as done once the body has arrived completely, which is later for a streaming handler. If the stream
     * breaks or is closed early, or the mark cannot be written, the call stays among the unfinished ones.
     *
     * @param keys stores the key
     * @param callId identifies the call in all of the caller's processes, such as {@code payment of order 42}
     * @param request the request, without the header {@value CallKey#HEADER}; its method, path, query, media type and
     *     body are compared
     * @param handler reads the body of a response that the result contains
     * @param <T> the body
     * @return the result
     * @throws IllegalArgumentException if the request has a key, a body that cannot be read or is too large, or the
     *     identifier is malformed; nothing was sent
     * @throws CallMismatchException if there is a call with this identifier and a different request; nothing was sent
     * @throws ClientKeysException if the key could not be stored or read; nothing was sent
     */
    public <T> CallResult<HttpResponse<T>> send(
            ClientKeys keys, String callId, HttpRequest request, BodyHandler<T> handler) {
        Request sent = new Request(request);
        return calls.stored(keys, callId, sent.fingerprint(), sent.exchange(handler));
    }

    /** A request whose body has been read. */
    private final class Request {

        private final HttpRequest request;
        private final Duration timeout;
        private final byte[] body;

        Request(HttpRequest request) {
            if (request.headers().firstValue(CallKey.HEADER).isPresent()) {
                throw new IllegalArgumentException("The request already has an " + CallKey.HEADER + " header, and"
                        + " nothing was sent. Remove the header, or send with its key as a CallKey.");
            }
            this.request = request;
            this.timeout = CallSettings.Builder.capped(request.timeout().orElse(settings.tryTimeout));
            this.body = request.bodyPublisher()
                    .map(publisher -> RequestBody.of(publisher, settings.maxBody))
                    .orElseGet(() -> new byte[0]);
        }

        Fingerprint fingerprint() {
            return Requests.fingerprint(
                    request.method(),
                    request.uri(),
                    request.headers().firstValue("Content-Type").orElse(null),
                    body);
        }

        <T> Exchange<HttpResponse<T>> exchange(BodyHandler<T> handler) {
            return new Exchange<>() {
                @Override
                public Reply<HttpResponse<T>> send(CallKey key) throws IOException, InterruptedException {
                    AnswerHandler<T> reading = new AnswerHandler<>(handler);
                    HttpResponse<T> response = exchanged(withKey(key), reading);
                    Problem problem = reading.problem(response.statusCode());
                    return Reply.of(
                            problem,
                            response.headers()::firstValue,
                            reading.isForCaller() ? response : null,
                            reading.bodyRead());
                }

                @Override
                public boolean isNeverSent(IOException failure) {
                    return failure instanceof ConnectException || failure instanceof HttpConnectTimeoutException;
                }
            };
        }

        /** Also waits for the body, which the timeout of a request does not cover. */
        private <T> HttpResponse<T> exchanged(HttpRequest request, BodyHandler<T> handler)
                throws IOException, InterruptedException {
            CompletableFuture<HttpResponse<T>> response = http.sendAsync(request, handler);
            try {
                return response.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
            } catch (ExecutionException failed) {
                if (failed.getCause() instanceof IOException lost) {
                    throw lost;
                }
                throw new IOException(
                        "The request could not be sent, or its response could not be read.", failed.getCause());
            } catch (TimeoutException late) {
                throw new HttpTimeoutException("No complete response arrived within " + timeout + ".");
            } finally {
                boolean unused = response.cancel(true);
            }
        }

        private HttpRequest withKey(CallKey key) {
            HttpRequest.Builder copy =
                    HttpRequest.newBuilder(request, (name, value) -> true).header(CallKey.HEADER, key.header());
            Optional<BodyPublisher> publisher = request.bodyPublisher();
            publisher.ifPresent(some -> copy.method(
                    request.method(), body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body)));
            return copy.timeout(timeout).build();
        }
    }
}
