package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.annotation.Idempotent;
import jakarta.decorator.Decorator;
import jakarta.enterprise.inject.build.compatible.spi.BeanInfo;
import jakarta.enterprise.inject.build.compatible.spi.BuildCompatibleExtension;
import jakarta.enterprise.inject.build.compatible.spi.ClassConfig;
import jakarta.enterprise.inject.build.compatible.spi.Enhancement;
import jakarta.enterprise.inject.build.compatible.spi.InterceptorInfo;
import jakarta.enterprise.inject.build.compatible.spi.Messages;
import jakarta.enterprise.inject.build.compatible.spi.MethodConfig;
import jakarta.enterprise.inject.build.compatible.spi.Registration;
import jakarta.enterprise.inject.build.compatible.spi.Validation;
import jakarta.enterprise.lang.model.declarations.ClassInfo;
import jakarta.interceptor.Interceptor;

/** Enables {@link Idempotent} on the methods of beans and rejects it on all others. Discovered by CDI. */
public final class IdempotentExtension implements BuildCompatibleExtension {

    private final AnnotatedBeans beans = new AnnotatedBeans();

    /** Called by CDI. */
    public IdempotentExtension() {}

    /**
     * Binds a method to the interceptor.
     *
     * @param method any method of a class with the annotation
     */
    @Enhancement(types = Object.class, withSubtypes = true, withAnnotations = Idempotent.class)
    public void bind(MethodConfig method) {
        if (beans.isToBind(method.info())) {
            method.addAnnotation(IdempotentBinding.class);
        }
    }

    /**
     * Remembers a class with the annotation, which must be the class of a bean.
     *
     * @param type the class
     */
    @Enhancement(types = Object.class, withSubtypes = true, withAnnotations = Idempotent.class)
    public void expect(ClassInfo type) {
        beans.expect(type);
    }

    /**
     * Rejects the annotation on decorators and interceptors, which are not intercepted themselves.
     *
     * @param type a decorator or an interceptor
     */
    @Enhancement(
            types = Object.class,
            withSubtypes = true,
            withAnnotations = {Decorator.class, Interceptor.class})
    public void refuse(ClassInfo type) {
        beans.refuseAround(type);
    }

    /**
     * Removes a bean whose classes are absent, because Quarkus would load them at startup.
     *
     * @param bean the bean for HTTP requests
     */
    @Enhancement(types = {HttpAttempts.class, CurrentRequest.class})
    public void withoutServlets(ClassConfig bean) {
        if (!Settings.hasFilter()) {
            bean.removeAllAnnotations();
        }
    }

    /**
     * Checks a bean.
     *
     * @param bean any bean
     */
    @Registration(types = Object.class)
    public void check(BeanInfo bean) {
        beans.check(bean);
    }

    /**
     * Records that the interceptor is present.
     *
     * @param interceptor the interceptor of annotated methods
     */
    @Registration(types = IdempotentInterceptor.class)
    public void intercept(InterceptorInfo interceptor) {
        beans.intercept();
    }

    /**
     * Rejects an invalid application.
     *
     * @param messages receives the errors
     */
    @Validation
    public void validate(Messages messages) {
        beans.refusals().forEach(messages::error);
    }
}
