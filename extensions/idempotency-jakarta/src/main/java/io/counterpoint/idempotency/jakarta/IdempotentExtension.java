package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.annotation.Idempotent;
import jakarta.enterprise.inject.build.compatible.spi.BuildCompatibleExtension;
import jakarta.enterprise.inject.build.compatible.spi.ClassConfig;
import jakarta.enterprise.inject.build.compatible.spi.Enhancement;
import jakarta.enterprise.inject.build.compatible.spi.MethodConfig;

/** Makes {@link Idempotent} work on the methods of beans. CDI finds it. */
public final class IdempotentExtension implements BuildCompatibleExtension {

    /** For CDI. */
    public IdempotentExtension() {}

    /**
     * Binds a method to the interceptor.
     *
     * @param method any method of a class with the annotation
     */
    @Enhancement(types = Object.class, withSubtypes = true, withAnnotations = Idempotent.class)
    public void bind(MethodConfig method) {
        if (method.info().hasAnnotation(Idempotent.class)) {
            method.addAnnotation(IdempotentBinding.class);
        }
    }

    /**
     * Takes a bean away whose classes are absent: Quarkus would load them at the start.
     *
     * @param bean that of HTTP requests
     */
    @Enhancement(types = HttpAttempts.class)
    public void withoutServlets(ClassConfig bean) {
        if (!Settings.hasFilter()) {
            bean.removeAllAnnotations();
        }
    }
}
