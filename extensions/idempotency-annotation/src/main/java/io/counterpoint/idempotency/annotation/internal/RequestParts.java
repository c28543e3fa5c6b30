package io.counterpoint.idempotency.annotation.internal;

import io.counterpoint.idempotency.Fingerprint;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Period;
import java.time.ZoneId;
import java.time.temporal.Temporal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Converts requests to parts that a fingerprint accepts: records to their components, optionals to lists. */
public final class RequestParts {

    private static final Set<Class<?>> PLAIN = Set.of(
            String.class,
            Boolean.class,
            Character.class,
            Byte.class,
            Short.class,
            Integer.class,
            Long.class,
            Float.class,
            Double.class,
            BigInteger.class,
            BigDecimal.class,
            UUID.class,
            Duration.class,
            Period.class,
            byte[].class);

    /** The accessors of a record class, cached because reflection copies them on each lookup. */
    private static final ClassValue<Method[]> ACCESSORS = new ClassValue<>() {
        @Override
        protected Method[] computeValue(Class<?> type) {
            return Arrays.stream(type.getRecordComponents())
                    .map(RecordComponent::getAccessor)
                    .peek(accessor -> accessor.setAccessible(true))
                    .toArray(Method[]::new);
        }
    };

    private RequestParts() {}

    /** Returns why a type has no canonical form; empty if it has one. */
    public static Optional<String> refusal(Type type) {
        return refusal(type, new HashSet<>());
    }

    private static Optional<String> refusal(Type type, Set<Type> above) {
        if (type instanceof Class<?> it) {
            return refusal(it, above);
        }
        if (type instanceof ParameterizedType generic && generic.getRawType() instanceof Class<?> raw) {
            if (List.class.isAssignableFrom(raw) || raw == Optional.class) {
                return refusal(generic.getActualTypeArguments()[0], above);
            }
            return refusal(raw, above);
        }
        if (type instanceof WildcardType wildcard) {
            return refusal(wildcard.getUpperBounds()[0], above);
        }
        return Optional.of(type + (type instanceof GenericArrayType ? ", an array" : ", which is not a concrete type"));
    }

    private static Optional<String> refusal(Class<?> type, Set<Type> above) {
        if (type.isRecord()) {
            if (!above.add(type)) {
                return Optional.empty();
            }
            for (RecordComponent component : type.getRecordComponents()) {
                Optional<String> refusal = refusal(component.getGenericType(), above);
                if (refusal.isPresent()) {
                    return refusal.map(
                            why -> "component " + component.getName() + " of " + type.getName() + ": " + why);
                }
            }
            return Optional.empty();
        }
        return isPlain(type) ? Optional.empty() : Optional.of(type.getName());
    }

    private static boolean isPlain(Class<?> type) {
        return PLAIN.contains(type)
                || type.isPrimitive()
                || type.isEnum()
                || Temporal.class.isAssignableFrom(type)
                || ZoneId.class.isAssignableFrom(type);
    }

    /** Returns what a fingerprint accepts for a value. */
    public static @Nullable Object partOf(@Nullable Object value) {
        if (value instanceof Record it) {
            return components(it);
        }
        if (value instanceof Optional<?> optional) {
            return optional.map(it -> all(List.of(it))).orElseGet(List::of);
        }
        if (value instanceof Character character) {
            return character.toString();
        }
        return value instanceof List<?> list ? all(list) : value;
    }

    /** Returns the fingerprint of a request. */
    public static Fingerprint fingerprint(List<? extends @Nullable Object> values) {
        return Fingerprint.ofParts(values.stream().map(RequestParts::partOf).toArray());
    }

    private static List<@Nullable Object> all(List<?> values) {
        List<@Nullable Object> parts = new ArrayList<>(values.size());
        values.forEach(value -> parts.add(partOf(value)));
        return parts;
    }

    private static List<@Nullable Object> components(Record value) {
        Method[] accessors = ACCESSORS.get(value.getClass());
        List<@Nullable Object> parts = new ArrayList<>(accessors.length);
        for (Method accessor : accessors) {
            try {
                parts.add(partOf(accessor.invoke(value)));
            } catch (IllegalAccessException | InvocationTargetException thrown) {
                throw new IllegalStateException(
                        "Cannot read component " + accessor.getName() + " of "
                                + value.getClass().getName() + ". Open"
                                + " its package, or name the request's parts in @Idempotent(request = …).",
                        thrown);
            }
        }
        return parts;
    }
}
