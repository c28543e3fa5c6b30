package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyKey.InvalidKeyException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationContext;

/** A checked method, and how an attempt is made from its arguments. */
final class IdempotentMethod {

    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private final Method method;
    private final Idempotent annotation;
    private final String operation;
    private final ResultForm form;
    private final @Nullable String @Nullable [] parameters;
    private final MethodExpression key;
    private final Optional<MethodExpression> scope;
    private final List<MethodExpression> request;
    private final boolean usesHttpAttempt;

    private IdempotentMethod(Method method, Idempotent annotation) {
        this.method = method;
        this.annotation = annotation;
        operation = annotation.operation();
        form = ResultForm.of(method);
        parameters = NAMES.getParameterNames(method);
        key = MethodExpression.of(method, "key", annotation.key(), parameters);
        scope = annotation.scope().isEmpty()
                ? Optional.empty()
                : Optional.of(MethodExpression.of(method, "scope", annotation.scope(), parameters));
        request = Arrays.stream(annotation.request())
                .map(text -> MethodExpression.of(method, "request", text, parameters))
                .toList();
        usesHttpAttempt = indexOf(MethodExpression.ATTEMPT) < 0
                && Stream.concat(Stream.concat(Stream.of(key), scope.stream()), request.stream())
                        .anyMatch(it -> it.variables().contains(MethodExpression.ATTEMPT));
    }

    /** Checks all that can be known of a method without other beans. */
    static IdempotentMethod of(Method method, Class<?> type, Idempotent annotation) {
        Proxyable.require(method, type);
        try {
            Attempt.WithScope unused = Attempt.in(annotation.operation());
        } catch (InvalidKeyException refused) {
            throw new InvalidIdempotentMethodException(
                    method,
                    "its operation has no acceptable name.",
                    "A name has 1 to 255 visible characters, such as \"place-order\".",
                    refused);
        }
        IdempotentMethod checked = new IdempotentMethod(method, annotation);
        checked.requireComparableRequest();
        return checked;
    }

    private void requireComparableRequest() {
        if (givesAttempt() || !request.isEmpty()) {
            return;
        }
        Type[] types = method.getGenericParameterTypes();
        for (int i = 0; i < types.length; i++) {
            int index = i;
            RequestParts.refusal(types[i]).ifPresent(why -> {
                throw new InvalidIdempotentMethodException(
                        method,
                        "parameter " + (parameters == null ? index : parameters[index])
                                + " cannot be compared with that of a retry (" + why + ").",
                        "Name what makes the request: request = {\"#order.id\", \"#order.total\"}.");
            });
        }
    }

    Method method() {
        return method;
    }

    Idempotent annotation() {
        return annotation;
    }

    /** The operation's name. An annotation looks its values up each time. */
    String operation() {
        return operation;
    }

    ResultForm form() {
        return form;
    }

    /** Whether the attempt of the HTTP request is wanted, and not a parameter of that name. */
    boolean usesHttpAttempt() {
        return usesHttpAttempt;
    }

    /** Whether a bean has to say who calls. */
    boolean needsCallerScope() {
        return scope.isEmpty() && !givesAttempt();
    }

    /** Whether the key is known to be an attempt, with scope and fingerprint. */
    private boolean givesAttempt() {
        if (!key.text().strip().matches("#\\w+")) {
            return false;
        }
        int parameter = indexOf(key.text().strip().substring(1));
        return parameter < 0 ? usesHttpAttempt() : method.getParameterTypes()[parameter] == Attempt.class;
    }

    /** Where the parameter of a name stands, or -1. */
    int indexOf(String name) {
        for (int i = 0; parameters != null && i < parameters.length; i++) {
            if (name.equals(parameters[i])) {
                return i;
            }
        }
        return -1;
    }

    Attempt attempt(EvaluationContext context, @Nullable Object[] arguments, Supplier<CallerScope> caller) {
        Object value = key.valueIn(context);
        if (value instanceof Attempt whole) {
            return whole;
        }
        String text = text("key", key, value);
        return Attempt.in(scope(context, caller)).key(text).fingerprint(fingerprint(context, arguments));
    }

    private String scope(EvaluationContext context, Supplier<CallerScope> caller) {
        return scope.isPresent()
                ? text("scope", scope.get(), scope.get().valueIn(context))
                : caller.get()
                        .current()
                        .orElseThrow(() -> new UnknownCallerException("The operation " + operation
                                + " belongs to a caller, and nobody is authenticated. Authenticate first, or set the"
                                + " scope in @Idempotent."));
    }

    private Fingerprint fingerprint(EvaluationContext context, @Nullable Object[] arguments) {
        @Nullable Object[] parts = new @Nullable Object[request.isEmpty() ? arguments.length : request.size()];
        for (int i = 0; i < parts.length; i++) {
            parts[i] = RequestParts.partOf(
                    request.isEmpty() ? arguments[i] : request.get(i).valueIn(context));
        }
        return Fingerprint.of(parts);
    }

    /** Text of a value that has the same text in every try. That of any other object might be new for each. */
    private String text(String attribute, MethodExpression expression, @Nullable Object value) {
        if (value instanceof CharSequence
                || value instanceof UUID
                || value instanceof Long
                || value instanceof Integer
                || value instanceof Short) {
            return value.toString();
        }
        if (value instanceof Enum<?> constant) {
            return constant.name();
        }
        throw new IllegalArgumentException("The " + attribute + " of the operation " + operation
                + " needs text, a UUID, a whole number or an enum; [" + expression.text() + "] gave "
                + (value == null ? "null" : "an object of " + value.getClass().getName()) + ".");
    }
}
