package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.annotation.CallerScope;
import io.counterpoint.idempotency.annotation.Idempotent;
import io.counterpoint.idempotency.annotation.internal.AnnotatedOperation;
import io.counterpoint.idempotency.annotation.internal.MethodChecks;
import io.counterpoint.idempotency.annotation.internal.RequestParts;
import io.counterpoint.idempotency.annotation.internal.ResultForm;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationContext;

/** A validated method, and how an attempt is created from its arguments. */
final class IdempotentMethod {

    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private final Method method;
    private final Class<?> type;
    private final Idempotent annotation;
    private final String operation;
    private final Type result;
    private final ResultForm form;
    private final @Nullable String @Nullable [] parameters;
    private final TextExpression key;
    private final Optional<TextExpression> scope;
    private final List<MethodExpression> request;
    private final boolean usesHttpAttempt;

    private IdempotentMethod(Method method, Class<?> type, Idempotent annotation) {
        this.method = method;
        this.type = type;
        this.annotation = annotation;
        operation = annotation.operation();
        result = ResolvedType.of(method.getGenericReturnType(), ResolvableType.forMethodReturnType(method, type));
        form = ResultForm.of(result);
        parameters = NAMES.getParameterNames(method);
        key = textOf(method, "key", annotation.key(), parameters);
        scope = annotation.scope().isEmpty()
                ? Optional.empty()
                : Optional.of(textOf(method, "scope", annotation.scope(), parameters));
        request = Arrays.stream(annotation.request())
                .map(text -> MethodExpression.of(method, "request", text, parameters))
                .toList();
        usesHttpAttempt = indexOf(MethodExpression.ATTEMPT) < 0
                && Stream.concat(
                                Stream.concat(Stream.of(key), scope.stream()).map(TextExpression::whole),
                                request.stream())
                        .anyMatch(it -> it.variables().contains(MethodExpression.ATTEMPT));
    }

    private static TextExpression textOf(
            Method method, String attribute, String text, @Nullable String @Nullable [] parameters) {
        return new TextExpression(method, attribute, MethodExpression.of(method, attribute, text, parameters));
    }

    /** Validates everything that can be validated without other beans. */
    static IdempotentMethod of(Method method, Class<?> type, Idempotent annotation) {
        Proxyable.require(method, type);
        MethodChecks.requireNoResponse(method);
        MethodChecks.requireReadableAgain(method, annotation.maxRetries());
        AnnotatedOperation.requireName(method, annotation);
        IdempotentMethod checked = new IdempotentMethod(method, type, annotation);
        if (checked.givesAttempt()) {
            MethodChecks.requireNothingIgnored(
                    method, checked.key, checked.scope.isPresent() || !checked.request.isEmpty());
        }
        MethodChecks.requireResultAtReturn(
                method,
                checked.result,
                it -> ReactiveAdapterRegistry.getSharedInstance().getAdapter(it) != null);
        checked.requireComparableRequest();
        return checked;
    }

    private void requireComparableRequest() {
        if (givesAttempt() || !request.isEmpty()) {
            return;
        }
        Type[] types = method.getGenericParameterTypes();
        for (int i = 0; i < types.length; i++) {
            Type resolved = ResolvedType.of(types[i], ResolvableType.forMethodParameter(method, i, type));
            MethodChecks.requireComparable(method, parameters == null ? i : parameters[i], resolved);
        }
    }

    Method method() {
        return method;
    }

    /** The class of its beans. */
    Class<?> type() {
        return type;
    }

    /** The type of the result, with type variables resolved for the class of its beans. */
    Type result() {
        return result;
    }

    Idempotent annotation() {
        return annotation;
    }

    /** The operation's name, cached because an annotation looks up its values each time. */
    String operation() {
        return operation;
    }

    ResultForm form() {
        return form;
    }

    /** Whether an expression uses the attempt of the HTTP request rather than a parameter of that name. */
    boolean usesHttpAttempt() {
        return usesHttpAttempt;
    }

    /** Whether a bean has to identify the caller. */
    boolean needsCallerScope() {
        return scope.isEmpty() && !givesAttempt();
    }

    /** Whether a call on a thread other than its caller's would have no key or no scope. */
    boolean isOfCallersThread() {
        return usesHttpAttempt || needsCallerScope();
    }

    /** Whether its attempt is known to be that of the HTTP request. */
    boolean isOfHttpAttempt() {
        return usesHttpAttempt && givesAttempt();
    }

    /** Whether the key expression is known to return an attempt, which includes scope and fingerprint. */
    private boolean givesAttempt() {
        Optional<String> variable = key.attemptVariable();
        if (variable.isEmpty()) {
            return false;
        }
        int parameter = indexOf(variable.get());
        return parameter < 0 ? usesHttpAttempt() : method.getParameterTypes()[parameter] == Attempt.class;
    }

    /** The index of the parameter with the given name, or -1. */
    int indexOf(String name) {
        for (int i = 0; parameters != null && i < parameters.length; i++) {
            if (name.equals(parameters[i])) {
                return i;
            }
        }
        return -1;
    }

    /**
     * Creates the attempt of a call.
     *
     * @param forText the context for key and scope
     * @param context the context for the request
     */
    Attempt attempt(
            EvaluationContext forText,
            EvaluationContext context,
            @Nullable Object[] arguments,
            Supplier<CallerScope> caller) {
        Object value = made("key", key, it -> it.attemptOrText(forText));
        return value instanceof Attempt whole
                ? whole
                : Attempt.inScope(scope(forText, caller))
                        .key((String) value)
                        .fingerprint(fingerprint(context, arguments));
    }

    private String scope(EvaluationContext context, Supplier<CallerScope> caller) {
        return scope.isPresent()
                ? made("scope", scope.get(), it -> it.text(context))
                : AnnotatedOperation.scopeOf(operation, caller.get().current());
    }

    private <T> T made(String attribute, TextExpression expression, Function<TextExpression, T> how) {
        try {
            return how.apply(expression);
        } catch (TextExpression.Unusable found) {
            throw AnnotatedOperation.refusal(operation, attribute, expression, found.type());
        }
    }

    private Fingerprint fingerprint(EvaluationContext context, @Nullable Object[] arguments) {
        return RequestParts.fingerprint(
                request.isEmpty()
                        ? Arrays.asList(arguments)
                        : request.stream().map(it -> it.valueIn(context)).collect(Collectors.toList()));
    }
}
