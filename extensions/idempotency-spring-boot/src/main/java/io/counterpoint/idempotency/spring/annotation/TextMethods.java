package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.annotation.internal.StableText;
import io.counterpoint.idempotency.spring.annotation.TextExpression.Unusable;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.AccessException;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.MethodExecutor;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.spel.support.ReflectiveMethodExecutor;

/** Rejects the text that Java's own methods would create for a missing value or for an object without its own text. */
record TextMethods(MethodResolver reflective) implements MethodResolver {

    @Override
    public @Nullable MethodExecutor resolve(
            EvaluationContext context, Object target, String name, List<TypeDescriptor> types) throws AccessException {
        MethodExecutor found = reflective.resolve(context, target, name, types);
        return found instanceof ReflectiveMethodExecutor its ? checked(its.getMethod(), found) : found;
    }

    private static MethodExecutor checked(Method method, MethodExecutor found) {
        Class<?> type = method.getDeclaringClass();
        boolean ofArguments = method.getReturnType() == String.class
                && (type == String.class || (type == Objects.class && method.getParameterCount() == 1));
        boolean ofTarget = method.getName().equals("toString") && method.getParameterCount() == 0;
        if (!ofArguments && !ofTarget) {
            return found;
        }
        return (context, target, arguments) -> {
            if (ofTarget) {
                requireOwnText(target);
            }
            for (Object argument : arguments) {
                requireText(argument, method.getName().equals("join"));
            }
            return found.execute(context, target, arguments);
        };
    }

    private static void requireText(@Nullable Object value, boolean joined) {
        if (joined && value instanceof List<?> list) {
            list.forEach(it -> requireText(it, false));
        } else if (joined && value != null && value.getClass().isArray()) {
            for (int i = 0; i < Array.getLength(value); i++) {
                requireText(Array.get(value, i), false);
            }
        } else if (!(value instanceof Number) && StableText.of(value).isEmpty()) {
            throw new Unusable(value);
        }
    }

    /** A class that overrides toString is trusted; the text of a container is composed of that of its elements. */
    private static void requireOwnText(Object value) {
        Method text;
        try {
            text = value.getClass().getMethod("toString");
        } catch (NoSuchMethodException impossible) {
            throw new IllegalStateException(impossible);
        }
        boolean isContainer = value instanceof Iterable || value instanceof Map || value instanceof Optional;
        if (isContainer || text.getDeclaringClass() == Object.class) {
            throw new Unusable(value);
        }
    }
}
