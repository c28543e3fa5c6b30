package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.annotation.InvalidIdempotentMethodException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.cache.interceptor.CacheAspectSupport;
import org.springframework.cache.interceptor.CacheOperationSource;
import org.springframework.cache.interceptor.CacheableOperation;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.interceptor.TransactionAspectSupport;

/** Rejects Spring advice in a position where a run could be repeated, skipped or reported to another caller. */
final class AdviceOrder {

    private AdviceOrder() {}

    /** The position of the operation among the interceptors of a call, or -1. */
    static int positionIn(List<Object> chain) {
        for (int i = 0; i < chain.size(); i++) {
            if (chain.get(i) instanceof IdempotentInterceptor) {
                return i;
            }
        }
        return -1;
    }

    /** Returns the definition of the method's transaction; null without {@code @Transactional}. */
    static @Nullable MethodTransaction require(List<Object> chain, IdempotentMethod method) {
        int operation = positionIn(chain);
        chain.subList(0, operation).forEach(it -> requireInFront(it, method));
        requireOutsideOfTransaction(chain.subList(0, operation), method);
        MethodTransaction transaction = null;
        for (Object advice : chain.subList(operation + 1, chain.size())) {
            requireBehind(advice, method);
            if (transaction == null && advice instanceof TransactionAspectSupport transactions) {
                transaction = MethodTransaction.of(transactions, method);
            }
        }
        return transaction;
    }

    /**
     * A transactional event listener is called within the transaction, on its thread, where calls of operations are
     * rejected.
     */
    private static void requireOutsideOfTransaction(List<Object> inFront, IdempotentMethod method) {
        if (AnnotatedElementUtils.hasAnnotation(method.method(), TransactionalEventListener.class)
                && inFront.stream().noneMatch(AsyncExecutionInterceptor.class::isInstance)) {
            throw refusal(
                    method,
                    "it is a @TransactionalEventListener, which runs inside the transaction it listens to, but an"
                            + " operation needs its own.",
                    "Add @Async, or call it from a listener that hands the event to another thread.");
        }
    }

    private static void requireInFront(Object advice, IdempotentMethod method) {
        if (advice instanceof TransactionAspectSupport) {
            throw refusal(
                    method,
                    "its @Transactional applies outside the operation, and a rollback there would not undo the"
                            + " operation.",
                    "Remove the order in @EnableTransactionManagement.");
        }
        if (advice instanceof AsyncExecutionInterceptor && method.result() != void.class) {
            throw refusal(
                    method,
                    "it is @Async, so its callers do not get the "
                            + method.result().getTypeName() + " it returns.",
                    "Return nothing, or remove @Async.");
        }
        if (advice instanceof AsyncExecutionInterceptor && method.isOfCallersThread()) {
            throw refusal(
                    method,
                    "it is @Async, but its key or scope is derived from the caller's thread.",
                    "Derive key and scope from its arguments, such as an Attempt, or remove @Async.");
        }
    }

    private static void requireBehind(Object advice, IdempotentMethod method) {
        String name = advice.getClass().getName();
        if (advice instanceof AsyncExecutionInterceptor) {
            throw refusal(
                    method,
                    "its @Async applies inside the operation, so the operation would end before the work.",
                    "Remove the order in @EnableAsync.");
        }
        if (advice instanceof CacheAspectSupport cache && isCacheable(cache, method)) {
            throw refusal(
                    method,
                    "its @Cacheable applies inside the operation, so the cache would answer instead of running the"
                            + " work again after a rollback.",
                    "Apply caching outside the operation: @EnableCaching(order = 0).");
        }
        if (name.startsWith("org.springframework.retry.") || name.startsWith("org.springframework.resilience.retry.")) {
            throw refusal(
                    method,
                    "its @Retryable applies inside the operation, and would repeat a failed run whose effects are not"
                            + " rolled back.",
                    "Apply retries outside the operation, such as @EnableRetry(order = 0), or use retryOn instead.");
        }
        if (name.startsWith("org.springframework.security.")) {
            throw refusal(
                    method,
                    "its authorization applies inside the operation, so replays would not be authorized.",
                    "Remove the offset in @EnableMethodSecurity.");
        }
    }

    private static boolean isCacheable(CacheAspectSupport advice, IdempotentMethod method) {
        CacheOperationSource source = advice.getCacheOperationSource();
        var operations = source == null ? null : source.getCacheOperations(method.method(), method.type());
        return operations != null && operations.stream().anyMatch(CacheableOperation.class::isInstance);
    }

    static InvalidIdempotentMethodException refusal(IdempotentMethod method, String found, String remedy) {
        return new InvalidIdempotentMethodException(method.method(), found, remedy);
    }
}
