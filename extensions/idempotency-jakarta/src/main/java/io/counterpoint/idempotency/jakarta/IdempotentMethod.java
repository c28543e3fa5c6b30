package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.annotation.CallerScope;
import io.counterpoint.idempotency.annotation.Idempotent;
import io.counterpoint.idempotency.annotation.InvalidIdempotentMethodException;
import io.counterpoint.idempotency.annotation.internal.AnnotatedOperation;
import io.counterpoint.idempotency.annotation.internal.MethodChecks;
import io.counterpoint.idempotency.annotation.internal.RequestParts;
import io.counterpoint.idempotency.annotation.internal.ResultForm;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.TransactionPhase;
import jakarta.enterprise.inject.Stereotype;
import jakarta.interceptor.InterceptorBinding;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A validated method, and how an attempt is created from its arguments. */
final class IdempotentMethod {

    private static final Set<TxType> SEPARATE = Set.of(TxType.REQUIRES_NEW, TxType.NOT_SUPPORTED, TxType.NEVER);
    private static final String TIMEOUT = "io.quarkus.narayana.jta.runtime.TransactionConfiguration";
    private static final String FALLBACK = "org.eclipse.microprofile.faulttolerance.Fallback";

    /** Annotations whose interceptors may retry. */
    private static final List<String> REPEATING = List.of(
            "org.eclipse.microprofile.faulttolerance.Retry",
            "io.smallrye.faulttolerance.api.ApplyFaultTolerance",
            "io.smallrye.faulttolerance.api.ApplyGuard");

    private static final String FAULT_TOLERANCE_PRIORITY = "mp.fault.tolerance.interceptor.priority";
    private static final String SECURITY = "io.quarkus.security.runtime.interceptor.RolesAllowedInterceptor";

    private final Method method;
    private final Idempotent annotation;
    private final Expression key;
    private final Optional<Expression> scope;
    private final List<Expression> request;

    IdempotentMethod(Method method) {
        this.method = method;
        this.annotation = method.getAnnotation(Idempotent.class);
        MethodChecks.requireInterceptable(method);
        MethodChecks.requireNoResponse(method);
        MethodChecks.requireReadableAgain(method, annotation.maxRetries());
        MethodChecks.requireResultAtReturn(method, method.getGenericReturnType(), unused -> false);
        requireNoTransactionalObserver();
        requireFitting(method.getDeclaringClass());
        AnnotatedOperation.requireName(method, annotation);
        key = new Expression(method, "key", annotation.key());
        scope = annotation.scope().isEmpty()
                ? Optional.empty()
                : Optional.of(new Expression(method, "scope", annotation.scope()));
        request = Arrays.stream(annotation.request())
                .map(text -> new Expression(method, "request", text))
                .toList();
        if (key.givesAttempt()) {
            MethodChecks.requireNothingIgnored(method, key, scope.isPresent() || !request.isEmpty());
        } else if (request.isEmpty()) {
            for (Parameter parameter : method.getParameters()) {
                MethodChecks.requireComparable(method, parameter.getName(), parameter.getParameterizedType());
            }
        }
    }

    private void requireNoTransactionalObserver() {
        Arrays.stream(method.getParameters())
                .map(parameter -> parameter.getAnnotation(Observes.class))
                .filter(observes -> observes != null && observes.during() != TransactionPhase.IN_PROGRESS)
                .findFirst()
                .ifPresent(observes -> {
                    throw refusal(
                            "it observes events " + observes.during()
                                    + ", inside the transaction in which they are fired,"
                                    + " but an operation needs its own. CDI would only log that.",
                            "Call it from an observer that hands the event to another thread.");
                });
    }

    /** Refuses what does not fit a transaction that the operation begins and ends, also where a bean that inherits it says so. */
    void requireFitting(Class<?> bean) {
        Transactional transactional = transactionalOf(bean);
        if (transactional != null && SEPARATE.contains(transactional.value())) {
            throw refusal(
                    "it is @Transactional(" + transactional.value() + "), so it would not run in the operation's"
                            + " transaction.",
                    "Use REQUIRED, or remove the annotation.");
        }
        if (transactional != null && transactional.dontRollbackOn().length > 0) {
            throw refusal(
                    "its @Transactional commits on some exceptions (dontRollbackOn), but an operation that throws is"
                            + " rolled back.",
                    "Remove dontRollbackOn, and return a result for what must be committed.");
        }
        if (transactional != null) {
            requireRollback(transactional);
        }
        if (isAnnotated(TIMEOUT::equals, bean)) {
            throw refusal(
                    "its @TransactionConfiguration sets a timeout, but the operation has begun the transaction by then.",
                    "Remove it, and set quarkus.transaction-manager.default-transaction-timeout.");
        }
        requireNothingInside(bean);
    }

    /** Refuses what would repeat the method inside the operation, replace its result, or authorize only there. */
    private void requireNothingInside(Class<?> bean) {
        for (String repeating : REPEATING) {
            if (isAnnotated(repeating::equals, bean) && isFaultToleranceInside()) {
                throw refusal(
                        "its @" + repeating.substring(repeating.lastIndexOf('.') + 1) + " applies inside the operation,"
                                + " and would repeat a failed run whose effects are not rolled back.",
                        "Use retryOn or maxRetries of @Idempotent, or retry in the caller with the same key.");
            }
        }
        if (isAnnotated(FALLBACK::equals, bean) && isFaultToleranceInside()) {
            throw refusal(
                    "its @Fallback applies inside the operation, and would commit what a failed run has written.",
                    "Put @Fallback on a caller of this method.");
        }
        if (isAnnotated(IdempotentMethod::isSecurity, bean) && isSecurityInside()) {
            throw refusal(
                    "its authorization applies inside the operation, so replays would not be authorized.",
                    "Use Quarkus 3.33 or later, or authorize in a caller of this method.");
        }
    }

    private void requireRollback(Transactional transactional) {
        for (Class<?> declared : method.getExceptionTypes()) {
            if (!RuntimeException.class.isAssignableFrom(declared)
                    && !Error.class.isAssignableFrom(declared)
                    && Arrays.<Class<?>>stream(transactional.rollbackOn())
                            .noneMatch(it -> it.isAssignableFrom(declared))) {
                throw refusal(
                        "its @Transactional commits when it throws the checked " + declared.getName() + ", but an"
                                + " operation that throws is rolled back.",
                        "Add rollbackOn = " + declared.getSimpleName() + ".class, or return a result for what must be"
                                + " committed.");
            }
        }
    }

    private @Nullable Transactional transactionalOf(Class<?> bean) {
        return annotated(bean)
                .flatMap(element -> Stream.ofNullable(element.getAnnotation(Transactional.class)))
                .findFirst()
                .orElse(null);
    }

    /** The method and its bean, each with its stereotypes and interceptor bindings, whose annotations apply to it too. */
    private Stream<AnnotatedElement> annotated(Class<?> bean) {
        return Stream.of(method, bean).flatMap(IdempotentMethod::withBindings);
    }

    private static Stream<AnnotatedElement> withBindings(AnnotatedElement element) {
        return Stream.concat(
                Stream.of(element),
                Arrays.stream(element.getAnnotations())
                        .map(Annotation::annotationType)
                        .filter(type -> type.isAnnotationPresent(Stereotype.class)
                                || type.isAnnotationPresent(InterceptorBinding.class))
                        .flatMap(IdempotentMethod::withBindings));
    }

    /** Unless the application puts fault tolerance in front of this module. */
    private static boolean isFaultToleranceInside() {
        return Settings.of(FAULT_TOLERANCE_PRIORITY)
                .map(Integer::valueOf)
                .filter(priority -> priority < IdempotentInterceptor.PRIORITY)
                .isEmpty();
    }

    /** Since 3.31, the security of Quarkus runs before transactions, and so before this module. */
    private static boolean isSecurityInside() {
        try {
            Priority priority = Class.forName(
                            SECURITY, false, Thread.currentThread().getContextClassLoader())
                    .getAnnotation(Priority.class);
            return priority == null || priority.value() >= IdempotentInterceptor.PRIORITY;
        } catch (ClassNotFoundException absent) {
            return false;
        }
    }

    private static boolean isSecurity(String annotation) {
        return annotation.startsWith("jakarta.annotation.security.") || annotation.startsWith("io.quarkus.security.");
    }

    /** By name: an application that does not use it does not have it. */
    private boolean isAnnotated(Predicate<String> annotation, Class<?> bean) {
        return annotated(bean)
                .flatMap(element -> Arrays.stream(element.getAnnotations()))
                .anyMatch(it -> annotation.test(it.annotationType().getName()));
    }

    InvalidIdempotentMethodException refusal(String found, String remedy) {
        return new InvalidIdempotentMethodException(method, found, remedy);
    }

    Method method() {
        return method;
    }

    String operation() {
        return annotation.operation();
    }

    AnnotatedOperation annotated() {
        return new AnnotatedOperation(method, annotation, method.getGenericReturnType());
    }

    ResultForm form() {
        return ResultForm.of(method.getGenericReturnType());
    }

    /** Whether a bean has to identify the caller. */
    boolean needsCallerScope() {
        return scope.isEmpty() && !key.givesAttempt();
    }

    /** Whether an expression uses the attempt of the HTTP request rather than a parameter of that name. */
    boolean usesHttpAttempt() {
        return Stream.concat(Stream.concat(Stream.of(key), scope.stream()), request.stream())
                .anyMatch(Expression::usesHttpAttempt);
    }

    /** Creates the attempt of a call. */
    Attempt attempt(@Nullable Object[] arguments, @Nullable Attempt http, Supplier<CallerScope> caller) {
        if (key.givesAttempt() && key.value(arguments, http) instanceof Attempt whole) {
            return whole;
        }
        String inScope = scope.isPresent()
                ? scope.get().text(operation(), arguments, http)
                : AnnotatedOperation.scopeOf(operation(), caller.get().current());
        return Attempt.inScope(inScope)
                .key(key.text(operation(), arguments, http))
                .fingerprint(RequestParts.fingerprint(
                        request.isEmpty()
                                ? Arrays.asList(arguments)
                                : request.stream()
                                        .map(it -> it.value(arguments, http))
                                        .collect(Collectors.toList())));
    }
}
