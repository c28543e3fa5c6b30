package io.counterpoint.idempotency.annotation.internal;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.InvalidKeyException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.annotation.Idempotent;
import io.counterpoint.idempotency.annotation.IncompleteKeyException;
import io.counterpoint.idempotency.annotation.InvalidIdempotentMethodException;
import io.counterpoint.idempotency.annotation.OperationCustomizer;
import io.counterpoint.idempotency.annotation.ResultCodecs;
import io.counterpoint.idempotency.annotation.UnknownCallerException;
import io.counterpoint.idempotency.annotation.UnstableTextException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The operation of an annotated method.
 *
 * @param method the method
 * @param annotation its annotation
 * @param result its result type, with type variables resolved for the class of its beans
 */
public record AnnotatedOperation(Method method, Idempotent annotation, Type result) {

    /** Rejects a name that cannot be part of a key. */
    public static void requireName(Method method, Idempotent annotation) {
        try {
            Attempt.InScope unused = Attempt.inScope(annotation.operation());
        } catch (InvalidKeyException refused) {
            throw new InvalidIdempotentMethodException(
                    method,
                    "its operation name is not valid.",
                    "Use 1 to 255 visible characters, such as \"place-order\".",
                    refused);
        }
    }

    /**
     * Builds the operation.
     *
     * @param codecs provide the codecs of results
     * @param customizers customize the operation last
     * @param durations parse a duration
     */
    public <C> Operation<C, Object> build(
            Idempotency<C> idempotency,
            ResultCodecs codecs,
            List<OperationCustomizer> customizers,
            Function<String, Duration> durations) {
        Operation.Builder<C, Object> builder = idempotency.operation(annotation.operation(), codec(codecs));
        try {
            apply(builder, durations);
            customizers.forEach(customizer -> customizer.customize(annotation.operation(), builder));
            return builder.build();
        } catch (RuntimeException refused) {
            throw new InvalidIdempotentMethodException(
                    method,
                    "its options are not valid: " + refused.getMessage(),
                    "Correct the annotation, or the customizer of this operation.",
                    refused);
        }
    }

    private ResultCodec<Object> codec(ResultCodecs codecs) {
        try {
            return ResultForm.of(result).codec(result, annotation.operation(), codecs);
        } catch (RuntimeException refused) {
            throw new InvalidIdempotentMethodException(
                    method,
                    "its result of type " + result.getTypeName() + " cannot be stored: " + refused.getMessage(),
                    "Supply what is missing, return a record, or define a bean of type " + ResultCodecs.class.getName()
                            + ".",
                    refused);
        }
    }

    private <C> void apply(Operation.Builder<C, Object> builder, Function<String, Duration> durations) {
        builder.protocol(annotation.protocol());
        duration(annotation.retention(), durations).ifPresent(builder::retention);
        duration(annotation.waitAtMost(), durations).ifPresent(builder::waitAtMost);
        duration(annotation.settleWithin(), durations).ifPresent(builder::settleWithin);
        if (annotation.maxWaiting() != -1) {
            builder.maxWaiting(annotation.maxWaiting());
        }
        if (annotation.maxRetries() != -1) {
            builder.maxRetries(annotation.maxRetries());
        }
        if (annotation.maxResultBytes() != -1) {
            builder.maxResultBytes(annotation.maxResultBytes());
        }
        if (annotation.releaseOn().length > 0) {
            builder.releaseOn(anyOf(annotation.releaseOn()));
        }
        if (annotation.retryOn().length > 0) {
            builder.retryOn(anyOf(annotation.retryOn()));
        }
        builder.whenAbandoned(
                annotation.whenAbandoned(),
                duration(annotation.abandonedAfter(), durations).orElse(Duration.ofMinutes(1)));
    }

    private static Optional<Duration> duration(String text, Function<String, Duration> durations) {
        return text.isEmpty() ? Optional.empty() : Optional.of(durations.apply(text));
    }

    private static Predicate<Throwable> anyOf(Class<? extends Throwable>[] classes) {
        return thrown -> Arrays.stream(classes).anyMatch(it -> it.isInstance(thrown));
    }

    /** Returns the scope of a call that does not set one. */
    public static String scopeOf(String operation, Optional<String> caller) {
        return caller.orElseThrow(() -> new UnknownCallerException("The operation " + operation + " belongs to a"
                + " caller, but no caller is authenticated. Authenticate first, or set the scope in @Idempotent."));
    }

    /**
     * Returns the exception for a key or scope that cannot be computed.
     *
     * @param attribute {@code key} or {@code scope}
     * @param found the class of a value without text; empty for a missing value
     */
    public static RuntimeException refusal(
            String operation, String attribute, Object expression, Optional<Class<?>> found) {
        String made =
                "The " + attribute + " of the operation " + operation + " is computed from [" + expression + "], but ";
        String nothing = " Nothing was claimed, and the method did not run.";
        if (found.isPresent()) {
            return new UnstableTextException(
                    made + "the expression returned an object of " + found.get().getName()
                            + ", whose text may differ between tries. Use text, a UUID, an integer, a boolean, an enum or"
                            + " a time: for example the identifier of the object, such as #order.id."
                            + nothing);
        }
        String missing = made + "a value in it is missing, so all calls without it would share one " + attribute
                + ". Pass the value, or define a substitute for it, such as #user.id ?: 'none'." + nothing;
        return attribute.equals("key") ? new IncompleteKeyException(missing) : new UnknownCallerException(missing);
    }
}
