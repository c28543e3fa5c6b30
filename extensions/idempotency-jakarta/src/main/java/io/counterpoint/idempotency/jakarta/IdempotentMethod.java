package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.annotation.CallerScope;
import io.counterpoint.idempotency.annotation.Idempotent;
import io.counterpoint.idempotency.annotation.InvalidIdempotentMethodException;
import io.counterpoint.idempotency.annotation.internal.AnnotatedOperation;
import io.counterpoint.idempotency.annotation.internal.RequestParts;
import io.counterpoint.idempotency.annotation.internal.ResultForm;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.BaseStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A checked method, and how an attempt is made from its arguments. */
final class IdempotentMethod {

    private static final List<Class<?>> LATER = List.of(
            Future.class,
            CompletionStage.class,
            Flow.Publisher.class,
            BaseStream.class,
            Supplier.class,
            Runnable.class);
    private static final Set<String> LATER_BY_NAME =
            Set.of("org.reactivestreams.Publisher", "io.smallrye.mutiny.Uni", "io.smallrye.mutiny.Multi");
    private static final Set<TxType> SEPARATE = Set.of(TxType.REQUIRES_NEW, TxType.NOT_SUPPORTED, TxType.NEVER);

    private final Method method;
    private final Idempotent annotation;
    private final Expression key;
    private final Optional<Expression> scope;
    private final List<Expression> request;

    IdempotentMethod(Method method) {
        this.method = method;
        this.annotation = method.getAnnotation(Idempotent.class);
        requireInterceptable();
        AnnotatedOperation.requireName(method, annotation);
        key = new Expression(method, "key", annotation.key());
        scope = annotation.scope().isEmpty()
                ? Optional.empty()
                : Optional.of(new Expression(method, "scope", annotation.scope()));
        request = Arrays.stream(annotation.request())
                .map(text -> new Expression(method, "request", text))
                .toList();
        requireNothingIgnored();
        requireComparableRequest();
    }

    private void requireInterceptable() {
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
            throw refusal(
                    "it is private, static or final, so calls do not pass through the operation.", "Make it public.");
        }
        Class<?> result = method.getReturnType();
        if (LATER.stream().anyMatch(it -> it.isAssignableFrom(result)) || LATER_BY_NAME.contains(result.getName())) {
            throw refusal(
                    "its result of type " + result.getName()
                            + " is not there when it returns, and the transaction is over" + " by then.",
                    "Return the value itself.");
        }
        Transactional transactional = Optional.ofNullable(method.getAnnotation(Transactional.class))
                .orElse(method.getDeclaringClass().getAnnotation(Transactional.class));
        if (transactional != null && SEPARATE.contains(transactional.value())) {
            throw refusal(
                    "it is @Transactional(" + transactional.value()
                            + "), and would not run in the operation's transaction.",
                    "Use REQUIRED, or take the annotation away.");
        }
    }

    private void requireNothingIgnored() {
        if (key.givesAttempt() && (scope.isPresent() || !request.isEmpty())) {
            throw refusal(
                    "its key [" + key + "] is an attempt, which has a scope and a request of its own, and those of the"
                            + " annotation would be ignored.",
                    "Take scope and request away, or give a key that is text.");
        }
    }

    private void requireComparableRequest() {
        if (key.givesAttempt() || !request.isEmpty()) {
            return;
        }
        for (Type type : method.getGenericParameterTypes()) {
            RequestParts.refusal(type).ifPresent(why -> {
                throw refusal(
                        "a parameter cannot be compared with that of a retry (" + why + ").",
                        "Name what makes the request: request = {\"#order.id\", \"#order.total\"}.");
            });
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
        return Attempt.in(inScope)
                .key(key.text(operation(), arguments, http))
                .fingerprint(RequestParts.fingerprint(
                        request.isEmpty()
                                ? Arrays.asList(arguments)
                                : request.stream()
                                        .map(it -> it.value(arguments, http))
                                        .collect(Collectors.toList())));
    }
}
