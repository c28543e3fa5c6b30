package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.NestedCallException;
import io.counterpoint.idempotency.annotation.IncompleteKeyException;
import io.counterpoint.idempotency.spring.annotation.DuplicateCounter.Answer;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Runs annotated methods unprotected and counts the outcomes that their operations would have had. */
final class CountedCall {

    private static final Logger LOG = LoggerFactory.getLogger(CountedCall.class);

    private final Set<String> told = ConcurrentHashMap.newKeySet();

    /** The method runs no matter what the attempt's expressions throw. */
    @Nullable
    Object invoke(DuplicateCounter counter, String operation, Supplier<Attempt> made, MethodInvocation invocation)
            throws Exception {
        Attempt attempt = null;
        try {
            requireNoTransaction();
            attempt = made.get();
        } catch (RuntimeException | Error refused) {
            boolean none = refused instanceof IncompleteKeyException
                    || (refused instanceof MissingKeyException missing && !missing.wasSent());
            if (!none) {
                tell(operation, refused);
            }
            counter.count(operation, none ? Answer.NO_KEY : Answer.REFUSED);
        }
        return attempt == null
                ? proceed(invocation)
                : counter.count(operation, attempt, () -> Optional.ofNullable(proceed(invocation)))
                        .orElse(null);
    }

    /** An operation would reject such a call, because that transaction's rollback would undo it. */
    private static void requireNoTransaction() {
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new NestedCallException("Called inside a Spring transaction.");
        }
    }

    private void tell(String operation, Throwable refused) {
        if (told.add(operation)) {
            LOG.warn(
                    "The operation {} is counted, not protected; if it were protected, it would refuse a call with"
                            + " {}. This is logged once per operation; see the counter for the rest.",
                    operation,
                    refused.getClass().getName());
        }
    }

    private static @Nullable Object proceed(MethodInvocation invocation) throws Exception {
        try {
            return invocation.proceed();
        } catch (Exception | Error thrown) {
            throw thrown;
        } catch (Throwable thrown) {
            throw new UndeclaredThrowableException(thrown);
        }
    }
}
