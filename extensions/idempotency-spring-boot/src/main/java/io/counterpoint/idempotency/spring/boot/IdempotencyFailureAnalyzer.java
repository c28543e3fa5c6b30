package io.counterpoint.idempotency.spring.boot;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows what keeps an application from starting, with the remedy. */
final class IdempotencyFailureAnalyzer extends AbstractFailureAnalyzer<IdempotencyStartException> {
    @Override
    protected FailureAnalysis analyze(Throwable failure, IdempotencyStartException cause) {
        return analysis(cause, cause.remedy());
    }

    /** The message without the remedy, which is shown in a separate paragraph. */
    static FailureAnalysis analysis(Throwable cause, String remedy) {
        String message = String.valueOf(cause.getMessage());
        return new FailureAnalysis(message.substring(0, message.length() - remedy.length() - 1), remedy, cause);
    }
}
