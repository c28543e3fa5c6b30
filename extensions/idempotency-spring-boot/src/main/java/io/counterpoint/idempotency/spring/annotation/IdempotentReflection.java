package io.counterpoint.idempotency.spring.annotation;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.annotation.ReflectiveProcessor;

/**
 * What a native image has to keep for an annotated method: its parameters, which expressions and fingerprints read, and
 * its result, which the codec writes and reads.
 */
final class IdempotentReflection implements ReflectiveProcessor {

    private final BindingReflectionHintsRegistrar binding = new BindingReflectionHintsRegistrar();

    @Override
    public void registerReflectionHints(ReflectionHints hints, AnnotatedElement element) {
        if (element instanceof Method method) {
            hints.registerMethod(method, ExecutableMode.INVOKE);
            binding.registerReflectionHints(hints, method.getGenericParameterTypes());
            binding.registerReflectionHints(hints, method.getGenericReturnType());
        }
    }
}
