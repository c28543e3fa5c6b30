package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.annotation.Idempotent;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.springframework.boot.convert.DurationStyle;

/**
 * Builds the operation of a method.
 *
 * @param codecs give the codecs of results
 * @param customizers change the operation last
 * @param placeholders resolves the placeholders of a text
 * @param retention of operations that do not say theirs
 */
record OperationSetup(
        ResultCodecs codecs,
        List<OperationCustomizer> customizers,
        UnaryOperator<String> placeholders,
        Duration retention) {

    <C> Operation<C, Object> build(Idempotency<C> idempotency, IdempotentMethod method) {
        Idempotent annotation = method.annotation();
        Operation.Builder<C, Object> builder = idempotency.operation(annotation.operation(), codec(method));
        try {
            apply(annotation, builder);
            customizers.forEach(customizer -> customizer.customize(annotation.operation(), builder));
            return builder.build();
        } catch (RuntimeException refused) {
            throw new InvalidIdempotentMethodException(
                    method.method(),
                    "its options are refused: " + refused.getMessage(),
                    "Change the annotation, or the customizer of this operation.",
                    refused);
        }
    }

    private ResultCodec<Object> codec(IdempotentMethod method) {
        try {
            return method.form().codec(method.result(), method.annotation().operation(), codecs);
        } catch (RuntimeException refused) {
            throw new InvalidIdempotentMethodException(
                    method.method(),
                    "its result of type "
                            + method.result().getTypeName() + " cannot be stored: "
                            + refused.getMessage(),
                    "Add what is missing, return a record, or define a bean of type " + ResultCodecs.class.getName()
                            + ".",
                    refused);
        }
    }

    private <C> void apply(Idempotent annotation, Operation.Builder<C, Object> builder) {
        builder.protocol(annotation.protocol());
        builder.retention(duration(annotation.retention()).orElse(retention));
        duration(annotation.waitAtMost()).ifPresent(builder::waitAtMost);
        duration(annotation.settleWithin()).ifPresent(builder::settleWithin);
        if (annotation.retries() != -1) {
            builder.retries(annotation.retries());
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
                duration(annotation.abandonedAfter()).orElse(Duration.ofMinutes(1)));
    }

    private Optional<Duration> duration(String text) {
        return text.isEmpty() ? Optional.empty() : Optional.of(DurationStyle.detectAndParse(placeholders.apply(text)));
    }

    private static Predicate<Throwable> anyOf(Class<? extends Throwable>[] classes) {
        return thrown -> Arrays.stream(classes).anyMatch(it -> it.isInstance(thrown));
    }
}
