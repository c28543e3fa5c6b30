package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.http.ProblemType;
import io.counterpoint.idempotency.internal.CallEffects;
import io.counterpoint.idempotency.internal.Rethrow;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Handles one request on a filter-managed route, which may become the leader of its key. */
final class FilterManagedCall {
    private final FilterManaged style;
    private final Attempt attempt;
    private final SpooledRequest spooled;
    private final CapturedResponse captured;
    private final FilterChain chain;
    private final Problems problems;
    private @Nullable PristineResponse pristine;
    private @Nullable StoredResponse own;
    private @Nullable Throwable thrown;
    private boolean tooMany;

    FilterManagedCall(
            FilterManaged style,
            Attempt attempt,
            SpooledRequest spooled,
            CapturedResponse captured,
            FilterChain chain,
            Problems problems) {
        this.style = style;
        this.attempt = attempt;
        this.spooled = spooled;
        this.captured = captured;
        this.chain = chain;
        this.problems = problems;
    }

    void answer(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException {
        CompletableFuture<Outcome<StoredResponse>> answer = execute();
        if (spooled.asynchronous() && thrown == null) {
            return;
        }
        Outcome<StoredResponse> outcome;
        try {
            outcome = answer.join();
        } catch (CompletionException ended) {
            failed(ended.getCause() == null ? ended : ended.getCause(), request, response);
            return;
        }
        try {
            StoredResponse stored = outcome.orElseThrow();
            if (stored == own) {
                captured.send();
            } else {
                replay(stored, outcome.key(), request, response);
            }
        } catch (IdempotencyException exception) {
            if (takesOver(response)) {
                problems.write(exception, request, response);
            }
        }
    }

    /** This operation is not one of the handler's, even if an earlier filter has bound the thread. */
    private CompletableFuture<Outcome<StoredResponse>> execute() {
        CallEffects.Binding uncounted = new CallEffects().bind();
        try {
            return style.operation()
                    .executeAsync(attempt, this::handle)
                    .whenComplete(this::count)
                    .toCompletableFuture();
        } finally {
            uncounted.close();
        }
    }

    /**
     * Prepares to replace the handler's response. Returns false if that has already been sent, because it exceeded what
     * is held back.
     */
    private boolean takesOver(HttpServletResponse response) {
        captured.discard();
        if (pristine != null) {
            if (response.isCommitted()) {
                return false;
            }
            pristine.restore();
        }
        return true;
    }

    /** Counts the key as unresolved, or no longer. */
    private void count(@Nullable Outcome<StoredResponse> outcome, @Nullable Throwable failure) {
        IdempotencyKey key = style.operation().keyOf(attempt);
        boolean resolved = outcome == null
                ? failure instanceof Ended ended && ended.meaning() == Meaning.NO_EFFECT
                : outcome.fold(completed -> true, inProgress -> false, rejected -> true, keyReused -> false);
        if (resolved) {
            style.unresolved().resolved(key);
        } else if (pristine != null) {
            style.unresolved().left(key);
        }
    }

    /** The leader's work: the rest of the filter chain, whose calls count as the request's again. */
    private CompletionStage<StoredResponse> handle(IdempotencyKey key) throws Exception {
        CallEffects.Binding counted = RequestEffects.of(spooled).bind();
        try {
            return handleCounted(key);
        } finally {
            counted.close();
        }
    }

    private CompletionStage<StoredResponse> handleCounted(IdempotencyKey key) throws Exception {
        if (!style.unresolved().hasRoomFor(key, style.operation()::isUnresolved)) {
            tooMany = true;
            throw new Ended(ProblemType.TOO_MANY_UNRESOLVED.status(), Meaning.NO_EFFECT);
        }
        pristine = new PristineResponse((HttpServletResponse) captured.getResponse());
        IdempotentRequest known = new IdempotentRequest(attempt, key, spooled, captured, problems);
        known.exposeTo(spooled);
        captured.markIf(status -> style.isUnknown(status, known));
        try {
            chain.doFilter(spooled, spooled.response());
        } catch (IOException | ServletException | RuntimeException | Error itsOwn) {
            thrown = itsOwn;
            requireNoWordOf(known);
            throw itsOwn;
        }
        if (!spooled.asynchronous()) {
            requireNoWordOf(known);
            StoredResponse made = style.resultOf(captured, known);
            own = made;
            return CompletableFuture.completedFuture(made);
        }
        return spooled.ended().thenApply(good -> {
            try {
                requireNoWordOf(known);
                if (!good) {
                    throw new Ended(captured.getStatus(), Meaning.UNKNOWN);
                }
                return style.resultOf(captured, known);
            } catch (Ended ended) {
                throw new CompletionException(ended);
            }
        });
    }

    /** An explicit statement of the handler takes precedence over how it ended. */
    private void requireNoWordOf(IdempotentRequest known) throws Ended {
        if (known.isWithoutEffect()) {
            throw new Ended(captured.getStatus(), Meaning.NO_EFFECT);
        }
    }

    private void failed(Throwable failure, HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        if (thrown != null) {
            // What the handler has thrown is answered in front of this filter, maybe by a 4xx; the record stays as the
            // engine left it.
            captured.discard();
            if (!(failure instanceof Ended)) {
                response.setHeader(IdempotencyFilter.MAY_HAVE_EFFECT, "true");
            }
            throw Rethrow.unchanged(thrown);
        } else if (tooMany) {
            problems.write(
                    ProblemType.TOO_MANY_UNRESOLVED,
                    "Nothing was done. Retry the earlier requests until each has a response, then retry this one with"
                            + " the same key.",
                    request,
                    response);
        } else if (failure instanceof Ended || failure.getCause() instanceof Ended) {
            captured.mark();
            captured.send();
        } else if (failure instanceof IdempotencyException exception) {
            if (takesOver(response)) {
                problems.write(exception, request, response);
            }
        } else {
            throw Rethrow.unchanged(failure);
        }
    }

    private void replay(
            StoredResponse stored, IdempotencyKey key, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        if (!takesOver(response)) {
            return;
        }
        if (!style.mayReplay(request)) {
            problems.write(
                    ProblemType.REPLAY_REFUSED,
                    "It was carried out, but its response may no longer be replayed to this caller.",
                    request,
                    response);
            return;
        }
        response.setHeader(IdempotencyFilter.REPLAYED, "true");
        stored.forOrigin(request.getHeader("Origin")).writeTo(response);
        if (!stored.hasBody()) {
            problems.writeNotKept(stored.status(), key.hash(), request, response);
        }
    }
}
