package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.annotation.Idempotent;
import java.lang.reflect.Method;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * Registers what a native image has to keep for an annotated method: its parameters, which expressions and fingerprints
 * read, and its result, which the codec writes and reads.
 */
final class IdempotentReflection implements BeanRegistrationAotProcessor {

    private final BindingReflectionHintsRegistrar binding = new BindingReflectionHintsRegistrar();

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Set<Method> annotated = MethodIntrospector.selectMethods(
                bean.getBeanClass(), (Method method) -> AnnotatedElementUtils.hasAnnotation(method, Idempotent.class));
        return annotated.isEmpty()
                ? null
                : (generation, code) -> annotated.forEach(
                        method -> register(generation.getRuntimeHints().reflection(), method));
    }

    private void register(ReflectionHints hints, Method method) {
        hints.registerMethod(method, ExecutableMode.INVOKE);
        binding.registerReflectionHints(hints, method.getGenericParameterTypes());
        binding.registerReflectionHints(hints, method.getGenericReturnType());
    }
}
