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
 * What the filter knows about a request, for its handler.
 *
 * <pre>{@code
 * IdempotentRequest idempotent = IdempotentRequest.of(request);
 * GroupCreated created = idempotent.resultOf(createGroup.execute(idempotent.attempt(), plan, work));
 * }</pre>
 *
 * <p>What {@link #resultOf} and the operation throw, the handler lets out: the filter turns every {@link
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
     * @param request the request, as any handler or filter behind this module's sees it
     * @return what is known of it
     * @throws IllegalStateException if it has none: the route is off, or the key optional and not sent
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
     * @return what is known of it; empty if it has no key
     */
    public static Optional<IdempotentRequest> find(ServletRequest request) {
        return Optional.ofNullable((IdempotentRequest) request.getAttribute(ATTRIBUTE));
    }

    /**
     * The attempt: scope, key, and the fingerprint of method, path, query and body. Each operation gives one
     * result for it: a second call of an operation within one request is refused. A call without a result may be made again. Give further calls keys of their own: {@code attempt().derive("line-2")}.
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
     * @return the key; empty on a handler-managed route, where {@code operation.keyOf(attempt())} gives it
     */
    public Optional<IdempotencyKey> key() {
        return Optional.ofNullable(key);
    }

    /**
     * The result of an operation, for the handler to make its response from. If the result is not this call's own, the
     * response gets the header {@code Idempotent-Replayed: true}.
     *
     * @param <R> the type of the result
     * @param outcome what the operation's {@code execute} returned
     * @return the result
     * @throws IdempotencyException for any outcome without result; the filter turns it into its problem
     */
    public <R> R resultOf(Outcome<R> outcome) {
        R result = outcome.orElseThrow();
        if (outcome.isReplay()) {
            response.setHeader(IdempotencyFilter.REPLAYED, "true");
        }
        return result;
    }

    /**
     * Writes the problem of an exception, instead of everything that the handler has written and set so far. For
     * handlers that do not let the exception out: handlers that end on another thread, and frameworks whose own
     * exception handlers come first.
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
     * Says that this request has no effect and will have none, whatever it is answered: that of a 5xx or an exception after
     * a rollback that is certain. The answer is sent and not stored, and the key can be used again. The handler has to be
     * honest: nobody checks.
     *
     * @throws IllegalStateException on a handler-managed route, where the operation knows
     */
    public void nothingHappened() {
        if (key == null) {
            throw new IllegalStateException("This route is handler-managed, so only its operation knows the outcome.");
        }
        withoutEffect = true;
    }

    /**
     * Says which status the handler has chosen, after it has returned and before its answer is made, for adapters of
     * frameworks. If on a filter-managed route the chosen status means an effect, and the answer is an error, that error was
     * made of the answer, as 406 and 416 are, and says nothing of the effect. If this is not called, the status of the answer is
     * taken for the handler's.
     *
     * @param status the status; the first one counts, until 0 says that a handler begins
     */
    public void chose(int status) {
        if (status == 0 || chosen == 0) {
            chosen = status;
        }
    }

    /**
     * Says that the handler goes on where nobody sees what is committed, for adapters of frameworks. On a filter-managed route,
     * the class of a status then says nothing of the effect.
     */
    public void goesOnElsewhere() {
        elsewhere = true;
        if (response instanceof CapturedResponse captured) {
            // Its status may be there already.
            captured.mark();
        }
    }

    /**
     * Counts what this thread calls and commits for a request, as its own thread is counted: for handlers that call operations
     * under other keys on threads of their own, and for adapters of frameworks.
     *
     * @param request the request; one that the filter has not seen is not counted
     * @return ends it, on this thread; end it also where the request is over
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

    /** Whether that is a call with the attempt, also where another thread made it. */
    boolean attemptMayHaveEffect() {
        return calls.mayExist();
    }

    /** Says that an error may have had an effect, where the response is not on its way. */
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

    /** Whether anybody has asked for the attempt. */
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
