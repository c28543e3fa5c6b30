package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.annotation.Idempotent;
import io.counterpoint.idempotency.internal.Symptom;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.decorator.Decorator;
import jakarta.enterprise.context.NormalScope;
import jakarta.enterprise.inject.Alternative;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Stereotype;
import jakarta.enterprise.inject.build.compatible.spi.BeanInfo;
import jakarta.enterprise.lang.model.AnnotationInfo;
import jakarta.enterprise.lang.model.declarations.ClassInfo;
import jakarta.enterprise.lang.model.declarations.MethodInfo;
import jakarta.enterprise.lang.model.types.Type;
import jakarta.inject.Inject;
import jakarta.inject.Scope;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import java.lang.annotation.Annotation;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Tracks the annotated methods whose calls pass through the interceptor. Any other annotated method through which a
 * bean could be called is rejected.
 */
final class AnnotatedBeans {

    private static final String ITS_OWN = "CDI intercepts only calls to objects that it creates itself.";

    /** Annotations of methods that the container calls itself. */
    private static final List<Class<? extends Annotation>> CALLED_BY_CONTAINER =
            List.of(Inject.class, PostConstruct.class, PreDestroy.class, AroundInvoke.class);

    private static final Set<String> OF_CDI = Set.of(
            "jakarta.ws.rs.Path", Alternative.class.getName(), Decorator.class.getName(), Interceptor.class.getName());

    private static final List<Class<? extends Annotation>> SCOPES =
            List.of(NormalScope.class, Scope.class, Stereotype.class);

    private final Set<String> bound = new HashSet<>();
    private final Set<String> expected = new LinkedHashSet<>();
    private final Set<String> found = new HashSet<>();
    private final Set<String> refusals = new LinkedHashSet<>();
    private boolean annotated;
    private boolean intercepted;

    /** Methods of interfaces are not bound, because their implementations are different methods. */
    boolean isToBind(MethodInfo method) {
        boolean binds = isAnnotated(method)
                && !method.declaringClass().isInterface()
                && !method.isStatic()
                && !Modifier.isFinal(method.modifiers())
                && !Modifier.isPrivate(method.modifiers());
        if (binds) {
            bound.add(signature(method));
        }
        return binds;
    }

    /**
     * Registers a class that could be called without CDI unless it turns out to be a bean. A disabled bean is not
     * called.
     */
    void expect(ClassInfo type) {
        if (!type.isInterface() && !type.isAbstract() && !type.hasAnnotation(AnnotatedBeans::isOfCdi)) {
            expected.add(type.name());
        }
    }

    private static boolean isOfCdi(AnnotationInfo annotation) {
        try {
            return OF_CDI.contains(annotation.name())
                    || SCOPES.stream().anyMatch(annotation.declaration()::hasAnnotation);
        } catch (IllegalStateException absent) {
            // A class that only a compiler or a test needs.
            return false;
        }
    }

    void refuseAround(ClassInfo type) {
        annotatedOf(type)
                .forEach(method -> refuse(
                        method,
                        type.name() + " is a decorator or an interceptor, which CDI does not intercept.",
                        "Annotate the bean's method."));
    }

    void intercept() {
        intercepted = true;
    }

    void check(BeanInfo bean) {
        if (bean.isClassBean()) {
            checkClass(bean.declaringClass());
            refuseOwnAroundInvoke(bean.declaringClass());
        } else {
            Stream.concat(bean.types().stream(), declared(bean))
                    .flatMap(AnnotatedBeans::declaration)
                    .forEach(type -> annotatedOf(type).forEach(method -> refuseMade(method, bean)));
        }
    }

    /** The declared type of a producer, which may hide it with {@code @Typed}. */
    private static Stream<Type> declared(BeanInfo bean) {
        return bean.isProducerMethod()
                ? Stream.of(bean.producerMethod().returnType())
                : bean.isProducerField() ? Stream.of(bean.producerField().type()) : Stream.empty();
    }

    private void refuseMade(MethodInfo method, BeanInfo bean) {
        refuse(
                method,
                "its object is created by a producer or an extension, "
                        + bean.declaringClass().name() + ". " + ITS_OWN,
                "Make the class a bean with a scope and let CDI create it, or annotate a method of a bean that calls"
                        + " it.");
    }

    private void checkClass(ClassInfo bean) {
        List<ClassInfo> classes = new ArrayList<>();
        for (Optional<ClassInfo> type = Optional.of(bean); type.isPresent(); type = superClass(type.get())) {
            classes.add(type.get());
            found.add(type.get().name());
        }
        annotatedOf(bean).forEach(method -> {
            annotated = true;
            Optional<MethodInfo> called = classes.stream()
                    .flatMap(type -> declared(type).filter(it -> isCalledBy(it, method)))
                    .findFirst();
            if (called.isEmpty()) {
                refuse(
                        method,
                        "a method of an interface is not intercepted.",
                        "Annotate the method of the class instead.");
            } else if (isAnnotated(called.get())) {
                requireIntercepted(called.get(), bean);
            } else {
                refuse(
                        method,
                        called.get().declaringClass().name()
                                + " overrides it without the annotation, which is not inherited.",
                        "Annotate the method of that class too, or remove the annotation.");
            }
        });
    }

    /** CDI calls it after all interceptors, so nobody would notice that it calls the method twice. */
    private void refuseOwnAroundInvoke(ClassInfo bean) {
        if (withSupertypes(bean)
                .flatMap(AnnotatedBeans::declared)
                .anyMatch(it -> it.hasAnnotation(AroundInvoke.class))) {
            annotatedOf(bean)
                    .forEach(method -> refuse(
                            method,
                            "an @AroundInvoke method of its own class runs inside the operation, where it could repeat"
                                    + " the call.",
                            "Move that method to an interceptor."));
        }
    }

    private void requireIntercepted(MethodInfo method, ClassInfo bean) {
        int modifiers = method.modifiers();
        if (Modifier.isPrivate(modifiers)) {
            refuse(method, "a private method is not intercepted.", "Make it public.");
        } else if (Modifier.isStatic(modifiers)) {
            refuse(method, "a static method is not intercepted.", "Make it an instance method of a bean.");
        } else if (Modifier.isFinal(modifiers)) {
            refuse(method, "a final method is not intercepted.", "Remove the final modifier.");
        } else if (!Modifier.isPublic(modifiers)
                && !Modifier.isProtected(modifiers)
                && !packageOf(method.declaringClass()).equals(packageOf(bean))) {
            refuse(
                    method,
                    "it is package-private, so a bean of another package cannot override it.",
                    "Make it public.");
        } else if (Modifier.isPublic(modifiers) && isHidden(method.declaringClass(), bean)) {
            refuse(
                    method,
                    "its class is not public, so a public subclass has a bridge method for it, which Quarkus does not"
                            + " intercept.",
                    "Make its class public, or override the method in the bean's class with the annotation.");
        } else if (isCalledByContainer(method)) {
            refuse(method, "CDI calls it without the interceptor.", "Annotate a method that is called later.");
        } else if (!bound.contains(signature(method))) {
            refuse(
                    method,
                    "CDI has not discovered its class in any bean archive.",
                    "Add META-INF/beans.xml to its archive, or a Jandex index for Quarkus.");
        }
    }

    private static boolean isHidden(ClassInfo type, ClassInfo bean) {
        if (Modifier.isPublic(type.modifiers())) {
            return false;
        }
        for (ClassInfo below = bean; !below.name().equals(type.name()); below = below.superClassDeclaration()) {
            if (Modifier.isPublic(below.modifiers())) {
                return true;
            }
        }
        return false;
    }

    private static boolean isCalledByContainer(MethodInfo method) {
        return CALLED_BY_CONTAINER.stream().anyMatch(method::hasAnnotation)
                || method.parameters().stream().anyMatch(it -> it.hasAnnotation(Disposes.class));
    }

    Collection<String> refusals() {
        expected.removeAll(found);
        expected.forEach(type -> refusals.add(Symptom.METHOD_REFUSED.of("@Idempotent in " + type + ": the class is"
                + " not a bean. " + ITS_OWN + " Give it a scope, such as @ApplicationScoped.")));
        if (annotated && !intercepted) {
            refusals.add(Symptom.METHOD_REFUSED.of(
                    "@Idempotent is used, but the interceptor of idempotency-jakarta is not a bean. Make its archive"
                            + " a bean archive, or add the package " + AnnotatedBeans.class.getPackageName() + "."));
        }
        return refusals;
    }

    private void refuse(MethodInfo method, String why, String remedy) {
        refusals.add("@Idempotent on " + method.declaringClass().name() + "." + method.name() + ": " + why + " "
                + Symptom.METHOD_REFUSED.of(remedy));
    }

    /** Includes methods of superclasses and interfaces. */
    private static Stream<MethodInfo> annotatedOf(ClassInfo type) {
        return withSupertypes(type).flatMap(AnnotatedBeans::declared).distinct().filter(AnnotatedBeans::isAnnotated);
    }

    private static Stream<ClassInfo> withSupertypes(ClassInfo type) {
        return Stream.of(
                        Stream.of(type),
                        superClass(type).stream().flatMap(AnnotatedBeans::withSupertypes),
                        present(type::superInterfacesDeclarations).stream().flatMap(AnnotatedBeans::withSupertypes))
                .flatMap(it -> it);
    }

    private static Optional<ClassInfo> superClass(ClassInfo type) {
        return present(() -> Stream.ofNullable(type.superClassDeclaration()).toList()).stream()
                .findFirst();
    }

    /**
     * Returns nothing if a library class refers to an absent class, which Quarkus represents as null: no bean has
     * methods of it.
     */
    private static <T> Collection<T> present(Supplier<Collection<T>> declared) {
        try {
            return declared.get();
        } catch (NoClassDefFoundError | NullPointerException absent) {
            return List.of();
        }
    }

    private static boolean isAnnotated(MethodInfo method) {
        return method.hasAnnotation(Idempotent.class);
    }

    private static Stream<MethodInfo> declared(ClassInfo type) {
        return present(type::methods).stream()
                .filter(it -> it.declaringClass().name().equals(type.name()));
    }

    private static Stream<ClassInfo> declaration(Type type) {
        return type.isClass()
                ? Stream.of(type.asClass().declaration())
                : type.isParameterizedType()
                        ? Stream.of(type.asParameterizedType().declaration())
                        : Stream.empty();
    }

    /** Whether it is the method or overrides it. A type variable may stand for any subclass. */
    private static boolean isCalledBy(MethodInfo one, MethodInfo method) {
        if (!one.name().equals(method.name()) || !sees(one.declaringClass(), method)) {
            return false;
        }
        if (signature(one).equals(signature(method))) {
            return true;
        }
        if (one.parameters().size() != method.parameters().size()
                || Modifier.isPrivate(one.modifiers())
                || one.isStatic()) {
            return false;
        }
        for (int i = 0; i < one.parameters().size(); i++) {
            Type above = method.parameters().get(i).type();
            if (!isVariable(above)
                    && !erased(above).equals(erased(one.parameters().get(i).type()))) {
                return false;
            }
        }
        return true;
    }

    /** Without access, a method with the same name is a different one. */
    private static boolean sees(ClassInfo type, MethodInfo method) {
        return Modifier.isPublic(method.modifiers())
                || Modifier.isProtected(method.modifiers())
                || packageOf(type).equals(packageOf(method.declaringClass()));
    }

    private static boolean isVariable(Type type) {
        return type.isArray() ? isVariable(type.asArray().componentType()) : type.isTypeVariable();
    }

    private static String signature(MethodInfo method) {
        return method.declaringClass().name() + "." + method.name()
                + method.parameters().stream().map(it -> erased(it.type())).toList();
    }

    private static String erased(Type type) {
        return switch (type.kind()) {
            case ARRAY -> erased(type.asArray().componentType()) + "[]";
            case TYPE_VARIABLE -> erased(type.asTypeVariable().bounds().get(0));
            case CLASS -> type.asClass().declaration().name();
            case PARAMETERIZED_TYPE -> type.asParameterizedType().declaration().name();
            default -> type.toString();
        };
    }

    private static String packageOf(ClassInfo type) {
        return type.name().substring(0, Math.max(0, type.name().lastIndexOf('.')));
    }
}
