package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.http.ProblemType;
import io.counterpoint.idempotency.internal.CallEffects;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The filter's information about a request, for its handler.
 *
 * <pre>{@code
 * IdempotentRequest idempotent = IdempotentRequest.of(request);
 * GroupCreated created = idempotent.resultOf(createGroup.execute(idempotent.attempt(), plan, work));
 * }</pre>
 *
 * <p>Let exceptions of {@link #resultOf} and the operation propagate: the filter turns every {@link
 * IdempotencyException} into its problem.
 */
public final class IdempotentRequest {

    private static final String ATTRIBUTE = IdempotentRequest.class.getName();

    private final CallEffects calls = new CallEffects();
    private final Attempt attempt;
    private final @Nullable IdempotencyKey key;
    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private final PristineResponse pristine;
    private final Problems problems;
    private volatile boolean used;
    private volatile boolean withoutEffect;
    private volatile int chosen;
    private volatile boolean elsewhere;

    IdempotentRequest(
            Attempt attempt,
            @Nullable IdempotencyKey key,
            HttpServletRequest request,
            HttpServletResponse response,
            Problems problems) {
        this.attempt = attempt.countedBy(calls);
        this.key = key;
        this.request = request;
        this.response = response;
        this.pristine = new PristineResponse(response);
        this.problems = problems;
    }

    /**
     * Returns what is known about a request that has a key.
     *
     * @param request the request, as seen by any handler or filter behind this module's
     * @return what is known about it
     * @throws IllegalStateException if it has none, because the route is off, or the key is optional and was not sent
     */
    public static IdempotentRequest of(ServletRequest request) {
        return find(request)
                .orElseThrow(() -> new IllegalStateException(
                        "This request has no idempotency key: its route is off, its key is optional and was not sent,"
                                + " or the filter does not run before this handler."));
    }

    /**
     * Returns what is known about a request, if it has a key.
     *
     * @param request the request
     * @return the information; empty if it has no key
     */
    public static Optional<IdempotentRequest> find(ServletRequest request) {
        return Optional.ofNullable((IdempotentRequest) request.getAttribute(ATTRIBUTE));
    }

    /**
     * The attempt: scope, key, and the fingerprint of method, path, query and body. Each operation returns one result
     * for it: a second call of an operation within one request is rejected. A call that returned no result may be
     * repeated. Give additional calls their own keys: {@code attempt().derive("line-2")}.
     *
     * @return what an operation's {@code execute} takes
     */
    public Attempt attempt() {
        used = true;
        return attempt;
    }

    /**
     * Returns the key that the filter has claimed. Store it with the effect, or pass its hash downstream as the other
     * side's idempotency key, so that the lookup finds the effect.
     *
     * @return the key; empty on a handler-managed route, where {@code operation.keyOf(attempt())} returns it
     */
    public Optional<IdempotencyKey> key() {
        return Optional.ofNullable(key);
    }

    /**
     * Returns the result of an operation, from which the handler builds its response. If another call produced the
     * result, the response gets the header {@code Idempotent-Replayed: true}.
     *
     * @param <R> the type of the result
     * @param outcome what the operation's {@code execute} returned
     * @return the result
     * @throws IdempotencyException for any outcome without a result; the filter turns it into its problem
     */
    public <R> R resultOf(Outcome<R> outcome) {
        R result = outcome.orElseThrow();
        if (outcome.isReplay()) {
            response.setHeader(IdempotencyFilter.REPLAYED, "true");
        }
        return result;
    }

    /**
     * Writes the problem for an exception, replacing everything that the handler has written and set so far. Use it in
     * handlers that cannot let the exception propagate: those that end on another thread, and frameworks whose own
     * exception handlers take precedence.
     *
     * @param exception the exception
     * @throws IOException if the client is gone
     * @throws IllegalStateException if the response is committed
     */
    public void answer(IdempotencyException exception) throws IOException {
        pristine.restore();
        problems.write(exception, request, response);
    }

    /**
     * Declares that this request has no effect and never will, regardless of its response, for example for a 5xx or an
     * exception after a certain rollback. The response is sent but not stored, and the key can be used again. The
     * declaration is not verified.
     *
     * @throws IllegalStateException on a handler-managed route, where the operation determines this
     */
    public void nothingHappened() {
        if (key == null) {
            throw new IllegalStateException("This route is handler-managed, so only its operation knows the outcome.");
        }
        withoutEffect = true;
    }

    /**
     * Reports the status that the handler chose, after it has returned and before its response is written, for
     * framework adapters. If, on a filter-managed route, the chosen status means an effect but the response is an
     * error, the framework has replaced the response, as with 406 and 416, and the error says nothing about the effect.
     * If this is not called, the status of the response counts as the handler's.
     *
     * @param status the status; the first one counts, until 0 signals that a handler begins
     */
    public void chose(int status) {
        if (status == 0 || chosen == 0) {
            chosen = status;
        }
    }

    /**
     * Reports that the handler continues where commits cannot be observed, for framework adapters. On a filter-managed
     * route, the class of a status then says nothing about the effect.
     */
    public void goesOnElsewhere() {
        elsewhere = true;
    }

    /**
     * Counts this thread's calls and commits for a request, like those of the request's own thread, for handlers that
     * call operations under other keys on their own threads, and for framework adapters.
     *
     * @param request the request; one that the filter has not seen is not counted
     * @return ends it, on this thread; close it even if the request is over
     */
    public static Binding countOnThisThread(ServletRequest request) {
        CallEffects effects = RequestEffects.find(request);
        return effects == null ? () -> {} : effects.bind()::close;
    }

    /** Ends what was begun. */
    @FunctionalInterface
    public interface Binding extends AutoCloseable {
        @Override
        void close();
    }

    boolean isWithoutEffect() {
        return withoutEffect;
    }

    /** Whether a call of this request took effect, or may have. */
    boolean mayHaveEffect() {
        return RequestEffects.mayExist(request);
    }

    /** Whether that is a call with the attempt, even if another thread made it. */
    boolean attemptMayHaveEffect() {
        return calls.mayExist();
    }

    /** Marks an error as possibly having had an effect, unless the response is already committed. */
    void markError() {
        if (isMarked(response.getStatus())) {
            response.setHeader(IdempotencyFilter.MAY_HAVE_EFFECT, "true");
        }
    }

    boolean isMarked(int status) {
        return status >= 400 && status < 500 && mayHaveEffect();
    }

    StatusMeanings.Handled handled() {
        return new StatusMeanings.Handled(
                chosen,
                elsewhere
                        || RequestEffects.isCounted(request)
                        || RequestEffects.of(request).isCommitted());
    }

    /** Whether the attempt has been requested. */
    boolean isUsed() {
        return used;
    }

    Problems.Answer problemOf(IdempotencyException exception) {
        return problems.answer(exception, request);
    }

    Problems.Answer problemOf(ProblemType problem, String detail) {
        return problems.answer(problem, detail, request);
    }

    void exposeTo(ServletRequest handler) {
        handler.setAttribute(ATTRIBUTE, this);
    }

    @Override
    public String toString() {
        return "IdempotentRequest[" + attempt + "]";
    }
}
