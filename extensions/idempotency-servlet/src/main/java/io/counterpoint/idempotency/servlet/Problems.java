package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyException.Effect;
import io.counterpoint.idempotency.IdempotencyException.Next;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.RejectedException;
import io.counterpoint.idempotency.http.ProblemType;
import io.counterpoint.idempotency.spi.Characters;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Writes problems (RFC 9457). Nothing that a client sent is repeated, except the path. The filter has its own instance;
 * this class is for exception handlers of frameworks, which also handle requests that have not passed the filter.
 *
 * <p>A problem describes the whole request. After another protected call that has or may have had an effect, no problem
 * claims that nothing was done: {@link ProblemType#OUTCOME_UNRESOLVED} is written instead, or {@link
 * ProblemType#OUTCOME_UNKNOWN} if a retry helps. This includes all calls on the request's threads and, on other
 * threads, those with its {@linkplain IdempotentRequest#attempt attempt}; for an asynchronous handler, also those on
 * threads that serve no request. For a request that has not passed an {@link IdempotencyFilter}, this is unknown, so no
 * problem claims it either.
 *
 * <p>An exception that results in a 5xx is logged as a warning with its cause, once per cause and minute.
 *
 * @param documentation the page that explains keys to clients; problem types are fragments of it
 * @param retryAfter the pause after which clients are asked to try again
 */
public record Problems(URI documentation, Duration retryAfter) {

    /** The default page, for services without their own. It has a heading for each problem. */
    public static final URI PAGE =
            URI.create("https://github.com/counterpoint-io/idempotency/blob/main/docs/http-clients.md");

    static final String MEDIA_TYPE = "application/problem+json";

    /** Shared by all filters and exception handlers of this process. */
    private static final FailureLog FAILURES = new FailureLog(System::nanoTime);

    /** Problems of a call that did not begin, from which clients conclude that the request has done nothing. */
    private static final Set<ProblemType> DENYING = EnumSet.of(
            ProblemType.KEY_MISSING,
            ProblemType.KEY_INVALID,
            ProblemType.REQUEST_MALFORMED,
            ProblemType.BODY_TOO_LARGE,
            ProblemType.CALLER_UNKNOWN,
            ProblemType.NOT_STARTED);

    /** A problem ready to be sent; the headers do not include media type and length. */
    record Answer(int status, Map<String, String> headers, String body) {}

    /**
     * Writes a problem.
     *
     * @param problem the problem
     * @param detail what the client may know about this occurrence
     * @param request the request
     * @param response its response, which must not be committed
     * @throws IOException if the client is gone
     */
    public void write(ProblemType problem, String detail, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        send(answer(problem, detail, request), response);
    }

    Answer answer(ProblemType problem, String detail, HttpServletRequest request) {
        return DENYING.contains(problem) && RequestEffects.mayExist(request)
                ? answer(ProblemType.OUTCOME_UNRESOLVED, request)
                : answer(problem, problem.status(), detail, "", request);
    }

    /**
     * Writes the problem for an exception.
     *
     * @param thrown the exception
     * @param request the request
     * @param response its response, which must not be committed
     * @throws IOException if the client is gone
     */
    public void write(IdempotencyException thrown, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        send(answer(thrown, request), response);
    }

    /**
     * Returns the problem for an exception of the core whose call is the only one of its request.
     *
     * @param thrown the exception
     * @return its problem
     */
    public static ProblemType typeOf(IdempotencyException thrown) {
        return typeOf(thrown.reason());
    }

    /** Reasons with their own problem. All others are mapped by their effect and by who may retry. */
    static ProblemType typeOf(Reason reason) {
        return switch (reason) {
            case IN_PROGRESS -> ProblemType.REQUEST_OUTSTANDING;
            case FAILED -> ProblemType.ATTEMPT_FAILED;
            case KEY_REUSED -> ProblemType.KEY_REUSED;
            case RESULT_UNSTORABLE -> ProblemType.RESULT_UNSTORABLE;
            case RESULT_UNREADABLE -> ProblemType.RESULT_UNREADABLE;
            default ->
                reason.effect() == Effect.NONE
                        ? reason.next() == Next.RETRY ? ProblemType.STORE_UNAVAILABLE : ProblemType.NOT_STARTED
                        : inDoubt(reason);
        };
    }

    private static ProblemType inDoubt(Reason reason) {
        return reason.next() == Next.RETRY ? ProblemType.OUTCOME_UNKNOWN : ProblemType.OUTCOME_UNRESOLVED;
    }

    /** What a client may know about an exception, and what it should do. */
    private static String detailOf(ProblemType problem) {
        return switch (problem) {
            case REQUEST_OUTSTANDING -> "It is still running, or ended without a response. Retry with the same key.";
            case ATTEMPT_FAILED -> "It had no effect. To try again, use a new key.";
            case KEY_REUSED -> "Nothing was done. Use a new key for a new request.";
            case NOT_STARTED -> "Nothing was done. Retrying won't help until the service is fixed.";
            case STORE_UNAVAILABLE -> "Nothing was done. Retry with the same key.";
            case RESULT_UNREADABLE -> "It was carried out and will not be carried out again.";
            case RESULT_UNSTORABLE -> "It was abandoned because its result cannot be stored.";
            case OUTCOME_UNRESOLVED ->
                "Part of it may have been carried out. Do not retry, with this key or any other, until an operator"
                        + " has checked.";
            default -> "It may or may not have been carried out. Retry with the same key.";
        };
    }

    Answer answer(IdempotencyException thrown, HttpServletRequest request) {
        Answer answer = answerTo(thrown, request);
        FAILURES.answered(thrown, answer.status());
        return answer;
    }

    private Answer answerTo(IdempotencyException thrown, HttpServletRequest request) {
        if (thrown.reason().effect() == Effect.NONE && RequestEffects.mayExist(request)) {
            return answer(inDoubt(thrown.reason()), request);
        }
        String more = thrown instanceof RejectedException rejected
                ? member("failure", rejected.failure().code())
                        + (rejected.failure().message().isEmpty()
                                ? ""
                                : member("failureMessage", rejected.failure().message()))
                : "";
        ProblemType problem = typeOf(thrown);
        return answer(problem, problem.status(), detailOf(problem), more, request);
    }

    private Answer answer(ProblemType problem, HttpServletRequest request) {
        return answer(problem, problem.status(), detailOf(problem), "", request);
    }

    /**
     * Writes the response to a retry whose first response was too large: its status, and where the effect can be found.
     */
    void writeNotKept(int status, String reference, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        Answer answer = answer(
                ProblemType.ANSWER_NOT_KEPT,
                status,
                "Its response was too large to keep; it will not be carried out again.",
                member("reference", reference),
                request);
        send(answer, response);
    }

    private Answer answer(ProblemType problem, int status, String detail, String more, HttpServletRequest request) {
        String body = "{" + member("type", documentation + "#" + problem.slug()).substring(1)
                + member("title", problem.title())
                + ",\"status\":" + status
                + member("detail", detail)
                + member("instance", request.getRequestURI())
                + problem.isRetryable()
                        .map(retryable -> ",\"retryable\":" + retryable)
                        .orElse("")
                + more
                + "}";
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Cache-Control", "no-store");
        headers.put("Link", "<" + documentation + ">; rel=\"describedby\"");
        if (problem.isRetryable().orElse(false)) {
            headers.put("Retry-After", Long.toString(Math.max(1, retryAfter.toSeconds())));
        }
        return new Answer(status, headers, body);
    }

    private static void send(Answer answer, HttpServletResponse response) throws IOException {
        response.setStatus(answer.status());
        answer.headers().forEach((name, value) -> {
            // An outer filter may have set its own links.
            if (name.equals("Link")) {
                response.addHeader(name, value);
            } else {
                response.setHeader(name, value);
            }
        });
        response.setContentType(MEDIA_TYPE);
        byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    private static String member(String name, String text) {
        return ",\"" + name + "\":" + quoted(text);
    }

    /** Returns a JSON string (RFC 8259, section 7). An unpaired surrogate, which has no UTF-8 form, is escaped. */
    static String quoted(String text) {
        StringBuilder json = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); ) {
            int character = text.codePointAt(i);
            i += Character.charCount(character);
            if (character == '"' || character == '\\') {
                json.append('\\').append((char) character);
            } else if (character < 0x20 || Characters.isHalfAPair(character)) {
                json.append(String.format("\\u%04x", character));
            } else {
                json.appendCodePoint(character);
            }
        }
        return json.append('"').toString();
    }
}
