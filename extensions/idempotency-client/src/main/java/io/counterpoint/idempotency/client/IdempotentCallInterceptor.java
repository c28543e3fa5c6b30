package io.counterpoint.idempotency.client;

import io.counterpoint.idempotency.Fingerprint;
import java.io.IOException;
import java.net.http.HttpClient;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.JdkClientHttpRequestFactory;

/**
 * Sends the POST and PATCH requests of a Spring {@code RestClient} or {@code RestTemplate}, each with one key for all
 * of its tries. Other requests pass untouched.
 *
 * <p>A response of the service is passed to Spring as usual, even if the service itself rejects the request. A stored
 * response has the header {@code Idempotent-Replayed: true}. Everything else results in an {@link
 * IdempotentCallException} with its {@link CallResult}, even if the body of a success breaks off while it is read.
 * Requests are retried under the same conditions as with {@link IdempotentHttpClient}.
 *
 * <p>Register it last, because Spring runs interceptors behind it only on the first try. Set timeouts on the request
 * factory.
 *
 * <p>The request factory must not follow redirects, because the target of a redirect would be taken for the service's
 * response. By default, the factories of Spring Boot follow them. A response therefore counts only if the request went
 * through a factory created by {@link #requestFactory}, or if {@link #assumingNoRedirects()} declares that redirects
 * are not followed. Otherwise the result is {@link CallResult.Unknown}, and its failure says so.
 *
 * <p>Immutable and thread-safe. Requires Spring Framework 6.2 or later.
 */
@SuppressWarnings("exports")
public final class IdempotentCallInterceptor implements ClientHttpRequestInterceptor {

    /**
     * The request attribute for the identifier of a call, a {@code String}. Its key is stored in the {@link
     * ClientKeys}, which are required in this case.
     */
    public static final String CALL_ID = IdempotentCallInterceptor.class.getName() + ".CALL_ID";

    /** The request attribute for the {@link CallKey} of an earlier result, to retry with. */
    public static final String CALL_KEY = IdempotentCallInterceptor.class.getName() + ".CALL_KEY";

    private static final Set<String> METHODS = Set.of("POST", "PATCH");

    private final CallSettings settings;
    private final Calls calls;
    private final @Nullable ClientKeys keys;
    private final boolean noRedirects;

    private IdempotentCallInterceptor(CallSettings settings, @Nullable ClientKeys keys, boolean noRedirects) {
        this.settings = settings;
        this.calls = new Calls(settings);
        this.keys = keys;
        this.noRedirects = noRedirects;
    }

    /**
     * Creates an interceptor that stores no keys.
     *
     * @param settings how calls are tried
     * @return the interceptor
     */
    public static IdempotentCallInterceptor with(CallSettings settings) {
        return new IdempotentCallInterceptor(settings, null, false);
    }

    /**
     * Creates an interceptor that stores the keys of requests with the attribute {@link #CALL_ID}.
     *
     * @param settings how calls are tried
     * @param keys stores the keys
     * @return the interceptor
     */
    public static IdempotentCallInterceptor with(CallSettings settings, ClientKeys keys) {
        return new IdempotentCallInterceptor(settings, keys, false);
    }

    /**
     * Returns a request factory that does not follow redirects.
     *
     * @param http sends the requests; must be built with {@link HttpClient.Redirect#NEVER}, the default
     * @return a factory for the {@code RestClient} or {@code RestTemplate}, whose timeout you should set
     * @throws IllegalArgumentException if the client follows redirects
     */
    public static JdkClientHttpRequestFactory requestFactory(HttpClient http) {
        return new NoRedirects(http);
    }

    /**
     * Returns the same interceptor for any request factory, such as one for tests or for a different HTTP client.
     *
     * @return an interceptor that assumes that the factory does not follow redirects of POST and PATCH requests
     */
    public IdempotentCallInterceptor assumingNoRedirects() {
        return new IdempotentCallInterceptor(settings, keys, true);
    }

    /**
     * Sends a request.
     *
     * @throws IdempotentCallException if there is no response from the service
     * @throws IllegalArgumentException if the request already has a key, a body that is too large, both attributes, or
     *     an attribute of the wrong type; nothing was sent
     * @throws CallMismatchException if there is a call with this identifier and a different request; nothing was sent
     * @throws ClientKeysException if the key could not be stored or read; nothing was sent
     */
    @Override
    public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
            throws IOException {
        if (!METHODS.contains(request.getMethod().name())) {
            return execution.execute(request, body);
        }
        requireSendable(request, body);
        CallResult<ClientHttpResponse> result = call(request, body, key -> {
            request.getHeaders().set(CallKey.HEADER, key.header());
            return reply(send(request, body, execution), key);
        });
        if (result instanceof CallResult.Succeeded<ClientHttpResponse> succeeded) {
            return succeeded.response();
        }
        if (result instanceof CallResult.Rejected<ClientHttpResponse> rejected) {
            return rejected.response();
        }
        if (result instanceof CallResult.CarriedOut<ClientHttpResponse> carriedOut && carriedOut.response() != null) {
            // Spring would throw an exception that suggests that the request was not carried out.
            carriedOut.response().close();
            throw failure(new CallResult.CarriedOut<>(carriedOut.key(), carriedOut.problem(), null));
        }
        throw failure(result);
    }

    private ClientHttpResponse send(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
            throws IOException {
        if (noRedirects) {
            return execution.execute(request, body);
        }
        NoRedirects.forget();
        ClientHttpResponse response = execution.execute(request, body);
        if (!NoRedirects.hasSent(request)) {
            response.close();
            throw new Redirects.PerhapsFollowedException();
        }
        return response;
    }

    private static IdempotentCallException failure(CallResult<ClientHttpResponse> result) {
        if (result instanceof CallResult.Unknown<ClientHttpResponse> unknown) {
            if (unknown.response() != null) {
                // Nobody else would close it and its connection.
                unknown.response().close();
            }
            return new IdempotentCallException(
                    new CallResult.Unknown<>(unknown.key(), unknown.problem(), null, unknown.failure()),
                    unknown.failure());
        }
        return new IdempotentCallException(
                result,
                result instanceof CallResult.NotStarted<ClientHttpResponse> notStarted ? notStarted.failure() : null);
    }

    private void requireSendable(HttpRequest request, byte[] body) {
        if (request.getHeaders().getFirst(CallKey.HEADER) != null) {
            throw new IllegalArgumentException("The request already has an " + CallKey.HEADER + " header, and nothing"
                    + " was sent. Remove the header, or pass its key in the attribute CALL_KEY.");
        }
        if (body.length > settings.maxBody) {
            throw new IllegalArgumentException("The body is " + body.length + " bytes long, which exceeds the limit"
                    + " of " + settings.maxBody + "; nothing was sent. Raise maxBody, or send less.");
        }
    }

    private CallResult<ClientHttpResponse> call(
            HttpRequest request, byte[] body, Exchange<ClientHttpResponse> exchange) {
        Map<String, Object> attributes = request.getAttributes();
        Object callId = attributes.get(CALL_ID);
        Object key = attributes.get(CALL_KEY);
        if (callId == null && key == null) {
            return calls.withNewKey(exchange);
        }
        if (callId == null && key instanceof CallKey earlier) {
            return calls.goOn(earlier, exchange);
        }
        if (key == null && callId instanceof String id && keys != null) {
            return calls.stored(keys, id, fingerprint(request, body), exchange);
        }
        throw new IllegalArgumentException(
                "The attributes of the request are not valid, and nothing was sent. Set CALL_ID, a String, if the"
                        + " interceptor has ClientKeys, or CALL_KEY, a CallKey, or neither.");
    }

    private static Fingerprint fingerprint(HttpRequest request, byte[] body) {
        return Requests.fingerprint(
                request.getMethod().name(),
                request.getURI(),
                request.getHeaders().getFirst(HttpHeaders.CONTENT_TYPE),
                body);
    }

    private static Reply<ClientHttpResponse> reply(ClientHttpResponse response, CallKey key) throws IOException {
        try {
            int status = response.getStatusCode().value();
            HttpHeaders headers = response.getHeaders();
            Function<String, Optional<String>> header = name -> Optional.ofNullable(headers.getFirst(name));
            boolean document = header.apply(HttpHeaders.CONTENT_TYPE)
                    .filter(Problem::isDocument)
                    .isPresent();
            byte[] read = document ? response.getBody().readNBytes(Problem.MAX_BYTES + 1) : new byte[0];
            Problem problem = Problem.of(
                    status, read, document && read.length <= Problem.MAX_BYTES, header.apply(Reply.CONTENT_ENCODING));
            boolean retryAfter = header.apply(Reply.RETRY_AFTER).isPresent();
            if (!Reply.isForCaller(problem, retryAfter, Reply.isReplay(header))) {
                response.close();
                return Reply.of(problem, header, null, CompletableFuture.completedStage(null));
            }
            ReadResponse forCaller = new ReadResponse(response, read, key);
            return Reply.of(problem, header, forCaller, forCaller.bodyRead());
        } catch (IOException | RuntimeException | Error thrown) {
            response.close();
            throw thrown;
        }
    }
}
