package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.Fingerprint.InvalidRequestException;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyKey.InvalidKeyException;
import io.counterpoint.idempotency.annotation.IncompleteKeyException;
import io.counterpoint.idempotency.annotation.UnknownCallerException;
import io.counterpoint.idempotency.http.ProblemType;
import io.counterpoint.idempotency.servlet.IdempotentRequest;
import io.counterpoint.idempotency.servlet.Problems;
import io.counterpoint.idempotency.spring.annotation.MissingKeyException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/**
 * Answers the library's exceptions with problem details, before handlers for all exceptions see them. A request that the
 * filter has seen gets the filter's problem; any other gets the same from this class.
 */
@ControllerAdvice
@Order(Ordered.HIGHEST_PRECEDENCE)
class IdempotencyProblemAdvice {

    private final Problems problems;

    IdempotencyProblemAdvice(Problems problems) {
        this.problems = problems;
    }

    @ExceptionHandler
    void answer(IdempotencyException thrown, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        Optional<IdempotentRequest> known = IdempotentRequest.find(request);
        if (known.isPresent()) {
            known.get().answer(thrown);
        } else {
            problems.write(thrown, request, response);
        }
    }

    @ExceptionHandler(UnknownCallerException.class)
    void answerUnknownCaller(HttpServletRequest request, HttpServletResponse response) throws IOException {
        problems.write(ProblemType.CALLER_UNKNOWN, "A key belongs to a caller. Authenticate first.", request, response);
    }

    @ExceptionHandler(IncompleteKeyException.class)
    void answerIncompleteKey(HttpServletRequest request, HttpServletResponse response) throws IOException {
        problems.write(
                ProblemType.REQUEST_MALFORMED,
                "It lacks a value that its key is made from. Nothing was done.",
                request,
                response);
    }

    /** The key was made from the request. The message shows no more of it than one character. */
    @ExceptionHandler(InvalidKeyException.class)
    void answerInvalidKey(InvalidKeyException thrown, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        refuse(ProblemType.KEY_INVALID, thrown, request, response);
    }

    @ExceptionHandler(InvalidRequestException.class)
    void answerInvalidRequest(InvalidRequestException thrown, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        refuse(ProblemType.REQUEST_MALFORMED, thrown, request, response);
    }

    private void refuse(
            ProblemType type, RuntimeException thrown, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        problems.write(type, thrown.getMessage() + " Nothing was done.", request, response);
    }

    @ExceptionHandler(MissingKeyException.class)
    void answerMissingKey(HttpServletRequest request, HttpServletResponse response) throws IOException {
        problems.write(
                ProblemType.KEY_MISSING,
                "This operation requires one. Send a new key with a new request.",
                request,
                response);
    }
}
