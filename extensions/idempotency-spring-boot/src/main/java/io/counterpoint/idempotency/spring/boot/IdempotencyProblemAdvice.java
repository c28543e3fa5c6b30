package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.servlet.IdempotentRequest;
import io.counterpoint.idempotency.servlet.Problem;
import io.counterpoint.idempotency.spring.annotation.MissingKeyException;
import io.counterpoint.idempotency.spring.annotation.UnknownCallerException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.CacheControl;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/**
 * Answers the library's exceptions with problem details, before handlers for all exceptions see them. A request that the
 * filter has seen gets the filter's problem; any other gets one with the same status and title.
 */
@ControllerAdvice
@Order(Ordered.HIGHEST_PRECEDENCE)
class IdempotencyProblemAdvice {

    @ExceptionHandler
    @Nullable
    ResponseEntity<ProblemDetail> answer(IdempotencyException thrown, HttpServletRequest request) throws IOException {
        Optional<IdempotentRequest> known = IdempotentRequest.find(request);
        if (known.isPresent()) {
            known.get().answer(thrown);
            return null;
        }
        ResponseEntity.BodyBuilder response =
                ResponseEntity.status(Problem.of(thrown).status()).cacheControl(CacheControl.noStore());
        if (thrown.retryable()) {
            response.header("Retry-After", "1");
        }
        return response.body(detail(Problem.of(thrown)));
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> answer(UnknownCallerException thrown) {
        return ResponseEntity.status(Problem.CALLER_UNKNOWN.status()).body(detail(Problem.CALLER_UNKNOWN));
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> answer(MissingKeyException thrown) {
        ProblemDetail detail = detail(Problem.KEY_MISSING);
        detail.setDetail("This operation requires one. Send a new key with a new request.");
        return ResponseEntity.status(Problem.KEY_MISSING.status()).body(detail);
    }

    private static ProblemDetail detail(Problem problem) {
        ProblemDetail detail = ProblemDetail.forStatus(problem.status());
        detail.setTitle(problem.title());
        return detail;
    }
}
