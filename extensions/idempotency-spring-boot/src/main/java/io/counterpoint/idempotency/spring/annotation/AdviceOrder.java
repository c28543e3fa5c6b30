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

/** Refuses advice of Spring's at a place where a run could be repeated, left out, or told to somebody else. */
final class AdviceOrder {

    private AdviceOrder() {}

    /** Where the operation stands among the interceptors of a call, or -1. */
    static int positionIn(List<Object> chain) {
        for (int i = 0; i < chain.size(); i++) {
            if (chain.get(i) instanceof IdempotentInterceptor) {
                return i;
            }
        }
        return -1;
    }

    /** Returns what the transaction of the method begins with; null without {@code @Transactional}. */
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

    /** A listener of a transaction is called in it, on its thread, and calls of operations there are refused. */
    private static void requireOutsideOfTransaction(List<Object> inFront, IdempotentMethod method) {
        if (AnnotatedElementUtils.hasAnnotation(method.method(), TransactionalEventListener.class)
                && inFront.stream().noneMatch(AsyncExecutionInterceptor.class::isInstance)) {
            throw refusal(
                    method,
                    "it is a @TransactionalEventListener, which is called inside the transaction that it listens to, and"
                            + " an operation has one of its own.",
                    "Add @Async, or call it from a listener that hands the event to another thread.");
        }
    }

    private static void requireInFront(Object advice, IdempotentMethod method) {
        if (advice instanceof TransactionAspectSupport) {
            throw refusal(
                    method,
                    "its @Transactional begins in front of it, and a rollback there would not undo the operation.",
                    "Set no order in @EnableTransactionManagement.");
        }
        if (advice instanceof AsyncExecutionInterceptor && method.result() != void.class) {
            throw refusal(
                    method,
                    "it is @Async, so its callers do not get the "
                            + method.result().getTypeName() + " that it returns.",
                    "Return nothing, or take @Async away.");
        }
        if (advice instanceof AsyncExecutionInterceptor && method.isOfCallersThread()) {
            throw refusal(
                    method,
                    "it is @Async, and its key or scope come from the caller's thread.",
                    "Give it key and scope by its arguments, such as an Attempt, or take @Async away.");
        }
    }

    private static void requireBehind(Object advice, IdempotentMethod method) {
        String name = advice.getClass().getName();
        if (advice instanceof AsyncExecutionInterceptor) {
            throw refusal(
                    method,
                    "its @Async stands behind it, so the operation would end before the work.",
                    "Set no order in @EnableAsync.");
        }
        if (advice instanceof CacheAspectSupport cache && isCacheable(cache, method)) {
            throw refusal(
                    method,
                    "its @Cacheable stands behind it, and would answer in place of a run after a rollback.",
                    "Put it in front: @EnableCaching(order = 0).");
        }
        if (name.startsWith("org.springframework.retry.") || name.startsWith("org.springframework.resilience.retry.")) {
            throw refusal(
                    method,
                    "its @Retryable stands behind it, and would repeat a failed run whose effects are not rolled back.",
                    "Put it in front, such as @EnableRetry(order = 0), or use retryOn in its place.");
        }
        if (name.startsWith("org.springframework.security.")) {
            throw refusal(
                    method,
                    "its authorization stands behind it, so replays would not be authorized.",
                    "Set no offset in @EnableMethodSecurity.");
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
