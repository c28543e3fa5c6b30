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
 * Gives a handler access to what the filter knows about its request.
 *
 * <pre>{@code
 * IdempotentRequest idempotent = IdempotentRequest.of(request);
 * GroupCreated created = idempotent.resultOf(createGroup.execute(idempotent.attempt(), plan, work));
 * }</pre>
 *
 * <p>Handlers should not catch what {@link #resultOf} and the operation throw: the filter turns every {@link
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
    private volatile boolean outlasts;

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
     * @param request the request, as any handler or filter behind this module's sees it
     * @return what is known of it
     * @throws IllegalStateException if it has none: the route is off or does not cover the method, or the key is optional and
     *     was not sent
     */
    public static IdempotentRequest of(ServletRequest request) {
        return find(request)
                .orElseThrow(() -> new IllegalStateException(
                        "This request has no idempotency key: its route is off or does not cover its method"
                                + " (only POST and PATCH, unless set with RoutePolicy.methods), its key is optional and was not sent,"
                                + " or the filter does not run before this handler."));
    }

    /**
     * Returns what is known about a request, if it has a key.
     *
     * @param request the request
     * @return what is known about it; empty if it has no key
     */
    public static Optional<IdempotentRequest> find(ServletRequest request) {
        return Optional.ofNullable((IdempotentRequest) request.getAttribute(ATTRIBUTE));
    }

    /**
     * Returns the attempt: scope, key, and the fingerprint of method, path, query and body. Each operation may return
     * only one result for it: a second call of an operation within one request is rejected. A call without a result may
     * be repeated. Give additional calls their own keys with {@code attempt().derive("line-2")}.
     *
     * @return the attempt, to pass to an operation's {@code execute}
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
     * Returns the result of an operation, from which the handler creates its response. If the result is not this call's
     * own, the response gets the header {@code Idempotent-Replayed: true}.
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
     * Writes the problem of an exception, replacing everything that the handler has written and set so far. Use this if
     * the exception cannot propagate to the filter: in handlers that end on another thread, and with frameworks whose
     * own exception handlers run first.
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
     * Declares that this request has no effect and will have none, regardless of the response, such as a 5xx or an
     * exception after a certain rollback. The response is sent but not stored, and the key can be used again. The
     * declaration is not verified, so it must be true.
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
     * Reports, for framework adapters, the status that the handler chose, after it has returned and before its response
     * is created. If, on a filter-managed route, the chosen status means an effect but the response is an error, the
     * error arose while the response was created, like 406 and 416, and says nothing about the effect. If this is not
     * called, the status of the response is taken for the handler's.
     *
     * @param status the status; the first one counts, until 0 marks the beginning of a handler
     */
    public void chose(int status) {
        if (status == 0 || chosen == 0) {
            chosen = status;
        }
    }

    /**
     * Reports, for framework adapters, that the handler continues where its commits cannot be observed. On a
     * filter-managed route, the class of a status then says nothing about the effect.
     */
    public void goesOnElsewhere() {
        elsewhere = true;
        if (response instanceof CapturedResponse captured) {
            // Its status may be there already.
            captured.mark();
        }
    }

    /**
     * Attributes this thread's calls and commits to a request, like those of the request's own thread. For handlers
     * that call operations under other keys on their own threads, and for framework adapters.
     *
     * @param request the request; ignored if it has not passed the filter
     * @return the binding; close it on this thread, even after the request has ended
     */
    public static Binding countOnThisThread(ServletRequest request) {
        CallEffects effects = RequestEffects.find(request);
        return effects == null ? () -> {} : effects.bind()::close;
    }

    /** Ends the attribution when closed. */
    @FunctionalInterface
    public interface Binding extends AutoCloseable {
        @Override
        void close();
    }

    boolean isWithoutEffect() {
        return withoutEffect;
    }

    /** Whether a call of this request took or may have taken effect. */
    boolean mayHaveEffect() {
        return RequestEffects.mayExist(request);
    }

    /** The response proves nothing about what the handler is yet to do. */
    void goesOnAfterItsResponse() {
        outlasts = true;
        goesOnElsewhere();
    }

    /** Whether a call with the attempt took or may have taken effect, even one made on another thread. */
    boolean attemptMayHaveEffect() {
        return outlasts || calls.mayExist();
    }

    /** Marks an error response that may have had an effect, unless it was already sent. */
    void markError() {
        if (isMarked(response.getStatus())) {
            response.setHeader(IdempotencyFilter.MAY_HAVE_EFFECT, "true");
        }
    }

    /** Says the same where the handler throws: a filter in front may answer 4xx, as Spring Security does to a denied access. */
    void markThrown() {
        if (mayHaveEffect()) {
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

    /** Whether the attempt was requested. */
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
