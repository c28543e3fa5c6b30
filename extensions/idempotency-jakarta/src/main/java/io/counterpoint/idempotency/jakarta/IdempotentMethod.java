package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.annotation.CallerScope;
import io.counterpoint.idempotency.annotation.Idempotent;
import io.counterpoint.idempotency.annotation.InvalidIdempotentMethodException;
import io.counterpoint.idempotency.annotation.internal.AnnotatedOperation;
import io.counterpoint.idempotency.annotation.internal.MethodChecks;
import io.counterpoint.idempotency.annotation.internal.RequestParts;
import io.counterpoint.idempotency.annotation.internal.ResultForm;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A checked method, and how an attempt is made from its arguments. */
final class IdempotentMethod {

    private static final Set<TxType> SEPARATE = Set.of(TxType.REQUIRES_NEW, TxType.NOT_SUPPORTED, TxType.NEVER);

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
        MethodChecks.requireReadableAgain(method);
        MethodChecks.requireResultAtReturn(method, method.getGenericReturnType(), unused -> false);
        requireSameTransaction(method.getDeclaringClass());
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

    /** Refuses a transaction of the method's own, also where a bean that inherits it says so. */
    void requireSameTransaction(Class<?> bean) {
        Transactional transactional = Optional.ofNullable(method.getAnnotation(Transactional.class))
                .orElse(bean.getAnnotation(Transactional.class));
        if (transactional != null && SEPARATE.contains(transactional.value())) {
            throw refusal(
                    "it is @Transactional(" + transactional.value() + "), so it would not run in the operation's"
                            + " transaction.",
                    "Use REQUIRED, or remove the annotation.");
        }
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

    /** Whether a bean has to say who calls. */
    boolean needsCallerScope() {
        return scope.isEmpty() && !key.givesAttempt();
    }

    /** Whether the attempt of the HTTP request is wanted, and not a parameter of that name. */
    boolean usesHttpAttempt() {
        return Stream.concat(Stream.concat(Stream.of(key), scope.stream()), request.stream())
                .anyMatch(Expression::usesHttpAttempt);
    }

    /** The attempt of a call. */
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
