package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.annotation.InvalidIdempotentMethodException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows which annotated method keeps an application from starting, with the remedy. */
final class IdempotentMethodFailureAnalyzer extends AbstractFailureAnalyzer<InvalidIdempotentMethodException> {
    @Override
    protected FailureAnalysis analyze(Throwable failure, InvalidIdempotentMethodException cause) {
        return IdempotencyFailureAnalyzer.analysis(cause, cause.remedy());
    }
}
