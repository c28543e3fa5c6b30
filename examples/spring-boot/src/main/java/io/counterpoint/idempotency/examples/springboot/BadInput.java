package io.counterpoint.idempotency.examples.springboot;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Handles unreadable request bodies. The response says what was expected, without details of the parser. */
@RestControllerAdvice
class BadInput {

    @ExceptionHandler
    ProblemDetail malformed(HttpMessageNotReadableException thrown) {
        Throwable why = thrown.getMostSpecificCause();
        return ProblemDetail.forStatusAndDetail(
                HttpStatus.BAD_REQUEST,
                why.getClass() == IllegalArgumentException.class
                        ? String.valueOf(why.getMessage())
                        : "The body must be one JSON object with the declared fields. Nothing was done.");
    }
}
