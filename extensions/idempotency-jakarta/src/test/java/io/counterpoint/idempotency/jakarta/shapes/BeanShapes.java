package io.counterpoint.idempotency.jakarta.shapes;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.annotation.Idempotent;
import io.counterpoint.idempotency.jakarta.shapes.elsewhere.OfPackage;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.Priority;
import jakarta.decorator.Decorator;
import jakarta.decorator.Delegate;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.context.control.RequestContextController;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Alternative;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.Specializes;
import jakarta.enterprise.inject.Stereotype;
import jakarta.enterprise.inject.Typed;
import jakarta.enterprise.inject.Vetoed;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.util.TypeLiteral;
import jakarta.inject.Inject;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Disabled;

/**
 * Ways in which a bean can have an annotated method. Each is protected, or refused at the start: there is no third outcome.
 */
public final class BeanShapes {

    /** Set by the test of a container. */
    public static Idempotency<Connection> idempotency;

    /** Set where it has started. */
    public static BeanManager manager;

    private static final List<String> EFFECTS = new ArrayList<>();

    private BeanShapes() {}

    /**
     * A shape.
     *
     * @param name what it is
     * @param refusal words of the message; empty if it is protected
     * @param call calls the method with a key; null if it is refused
     * @param classes its beans
     */
    public record Shape(String name, String refusal, Function<String, Object> call, List<Class<?>> classes) {
        @Override
        public String toString() {
            return name;
        }

        /** Calls the method two times, and gives what was seen besides one effect and two equal answers. */
        public String callTwice(String key) {
            EFFECTS.clear();
            Object first = call.apply(key);
            Object second = call.apply(key);
            return EFFECTS.equals(List.of(key)) && key.equals(first) && key.equals(second)
                    ? ""
                    : EFFECTS + " " + first + " " + second;
        }
    }

    private static String effect(String key) {
        EFFECTS.add(key);
        return key;
    }

    private static <T> T get(Class<T> type) {
        return manager.createInstance().select(type).get();
    }

    private static <T> T get(TypeLiteral<T> type) {
        return manager.createInstance().select(type).get();
    }

    private static Shape isProtected(String name, Function<String, Object> call, Class<?>... classes) {
        return new Shape(name, "", call, List.of(classes));
    }

    private static Shape isRefused(String name, String words, Class<?>... classes) {
        return new Shape(name, words, null, List.of(classes));
    }

    /** Those of every container. */
    public static Stream<Shape> all() {
        return Stream.concat(
                Stream.of(
                        isProtected(
                                "a bean of the application",
                                key -> get(Plain.class).call(key),
                                Plain.class),
                        isProtected(
                                "a dependent bean", key -> get(OfCaller.class).call(key), OfCaller.class),
                        isProtected("a singleton", key -> get(One.class).call(key), One.class),
                        isProtected("a bean of a request", BeanShapes::callInRequest, OfRequest.class),
                        isProtected(
                                "a bean by its stereotype",
                                key -> get(Styled.class).call(key),
                                Styled.class),
                        isProtected(
                                "a bean typed as an interface",
                                key -> get(Call.class).call(key),
                                TypedAsCall.class),
                        isProtected(
                                "an inherited method", key -> get(Heir.class).call(key), Heir.class, Base.class),
                        isProtected(
                                "a method of a class with a type variable",
                                key -> get(GenericHeir.class).call(key, 7),
                                GenericHeir.class,
                                GenericBase.class),
                        isProtected(
                                "a method of classes that are not public",
                                key -> get(Unseen.class).call(key),
                                Unseen.class,
                                Hidden.class),
                        isProtected(
                                "an interface and its class, through the interface",
                                key -> get(Annotated.class).call(key),
                                BothAnnotated.class,
                                Annotated.class),
                        isProtected(
                                "a method and its override, through the class above",
                                key -> manager.createInstance()
                                        .select(Heir.class)
                                        .get()
                                        .call(key),
                                Heir.class,
                                Overriding.class,
                                Base.class),
                        isProtected(
                                "an override of a type variable, through its bridge",
                                key -> get(new TypeLiteral<GenericCall<String>>() {})
                                        .call(key),
                                Bridging.class,
                                GenericCall.class),
                        isProtected(
                                "an override of a class's type variable, through its bridge",
                                key -> get(new TypeLiteral<Abstract<String>>() {})
                                        .call(key),
                                OfAbstract.class,
                                Abstract.class),
                        isProtected(
                                "an override of a default method",
                                key -> get(Overrides.class).call(key),
                                Overrides.class,
                                Default.class),
                        isProtected(
                                "a protected method",
                                key -> get(NotPublic.class).ofHeirs(key),
                                NotPublic.class),
                        isProtected(
                                "a method of its package",
                                key -> get(OfItsPackage.class).call(key),
                                OfItsPackage.class),
                        isProtected("an alternative", key -> get(Call.class).call(key), Other.class, TypedAsCall.class),
                        isProtected(
                                "a decorated bean",
                                key -> get(Call.class).call(key),
                                TypedAsCall.class,
                                Decorating.class),
                        isProtected(
                                "a bean with another interceptor",
                                key -> get(Traced.class).call(key),
                                Traced.class,
                                Tracing.class),
                        isProtected(
                                "a bean with an interceptor that repeats its call",
                                BeanShapes::repeated,
                                Repeated.class,
                                Repeating.class),
                        isProtected(
                                "a bean with an interceptor in front that repeats its call, and one that changes it",
                                key -> get(Changed.class).call(key),
                                Changed.class,
                                Changing.class,
                                Again.class),
                        isProtected(
                                "an override that returns less than the interface's method",
                                key -> get(AnyCall.class).call(key),
                                Narrowing.class),
                        isProtected("an observer", BeanShapes::fire, Observer.class),
                        isProtected("a producer's method itself", BeanShapes::produce, Maker.class)),
                Stream.of(
                        isRefused("a producer's method", "is created by a producer", ByMethod.class),
                        isRefused("a producer's static method", "is created by a producer", ByStaticMethod.class),
                        isRefused("a producer's field", "is created by a producer", ByField.class),
                        isRefused("a producer of an heir", "is created by a producer", ByHeir.class),
                        isRefused(
                                "a producer of an interface's methods", "is created by a producer", OfInterface.class),
                        isRefused(
                                "a bean that produces another of its class", "is created by a producer", Itself.class),
                        isRefused(
                                "an interface's method",
                                "overrides it without the annotation",
                                Unannotated.class,
                                Annotated.class),
                        isRefused(
                                "an interface's method in a class above",
                                "overrides it without the annotation",
                                Implementing.class,
                                Annotated.class,
                                Implementation.class),
                        isRefused(
                                "a default method",
                                "a method of an interface is not intercepted",
                                Defaulted.class,
                                Default.class),
                        isRefused("an override", "overrides it without the annotation", Silent.class, Base.class),
                        isRefused(
                                "an override of a type variable",
                                "overrides it without the annotation",
                                SilentGeneric.class,
                                GenericBase.class),
                        isRefused(
                                "an alternative's override",
                                "overrides it without the annotation",
                                Plain.class,
                                SilentOther.class),
                        isRefused(
                                "a method of a class that is not public",
                                "has a bridge method for it",
                                Bridged.class,
                                Hidden.class),
                        isRefused(
                                "a method of a protected class",
                                "has a bridge method for it",
                                BridgedProtected.class,
                                ProtectedBase.class),
                        isRefused("a private method", "a private method is not intercepted", Private.class),
                        isRefused("a static method", "a static method is not intercepted", Static.class),
                        isRefused("a final method", "a final method is not intercepted", Final.class),
                        isRefused(
                                "a method of a package that another one's does not override",
                                "it is package-private, so a bean of another package cannot override it",
                                Hides.class,
                                OfPackage.class),
                        isRefused(
                                "an object of a producer that is typed as an interface",
                                "is created by a producer",
                                TypedProducer.class),
                        isRefused(
                                "a method of another package",
                                "so a bean of another package",
                                OfOtherPackage.class,
                                OfPackage.class),
                        isRefused("a decorator's method", "is a decorator", TypedAsCall.class, Annotating.class),
                        isRefused(
                                "an interceptor's method",
                                "is a decorator or an interceptor",
                                Traced.class,
                                AnnotatedTracing.class),
                        isRefused(
                                "a bean with an @AroundInvoke method of its own",
                                "of its own class runs inside the operation",
                                AroundItself.class),
                        isRefused("a method after the construction", "CDI calls it", Constructed.class),
                        isRefused("an initializer", "CDI calls it", Initialized.class, Plain.class),
                        isRefused("a disposer", "CDI calls it", Disposing.class),
                        isRefused(
                                "a method that two beans inherit",
                                "inherit it",
                                Heir.class,
                                SecondHeir.class,
                                Base.class)));
    }

    private static Object callInRequest(String key) {
        RequestContextController request = get(RequestContextController.class);
        boolean begun = request.activate();
        try {
            return get(OfRequest.class).call(key);
        } finally {
            if (begun) {
                request.deactivate();
            }
        }
    }

    private static Object fire(String key) {
        manager.getEvent().fire(new Happened(key));
        return key;
    }

    /** Fails before a second effect, with what the first call threw as a cause. */
    private static Object repeated(String key) {
        try {
            return get(Repeated.class).call(key) + " without a failure";
        } catch (IllegalStateException failed) {
            return failed.getCause() instanceof UnsupportedOperationException ? key : "without the cause";
        } catch (IdempotencyException rejected) {
            return key;
        }
    }

    private static Object produce(String key) {
        Maker.key = key;
        return manager.createInstance().select(Made.class).get().key();
    }

    /** An interface without the annotation. */
    public interface Call {
        String call(String key);
    }

    @ApplicationScoped
    public static class Plain {
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        public String call(String key) {
            return effect(key);
        }
    }

    @Dependent
    public static class OfCaller {
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        public String call(String key) {
            return effect(key);
        }
    }

    @Singleton
    public static class One {
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        public String call(String key) {
            return effect(key);
        }
    }

    @RequestScoped
    public static class OfRequest {
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        public String call(String key) {
            return effect(key);
        }
    }

    @Stereotype
    @ApplicationScoped
    @Retention(RetentionPolicy.RUNTIME)
    @interface Service {}

    @Service
    public static class Styled {
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        public String call(String key) {
            return effect(key);
        }
    }

    @ApplicationScoped
    @Typed(Call.class)
    public static class TypedAsCall implements Call {
        @Override
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        public String call(String key) {
            return effect(key);
        }
    }

    public abstract static class Base {
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        public String call(String key) {
            return effect(key);
        }
    }

    @ApplicationScoped
    public static class Heir extends Base {}

    @ApplicationScoped
    public static class SecondHeir extends Base {}

    @Alternative
    @Priority(1)
    @ApplicationScoped
    public static class Overriding extends Heir {
        @Override
        @Idempotent(operation = "another", key = "#key", scope = "'s'")
        public String call(String key) {
            return effect(key);
        }
    }

    @ApplicationScoped
    public static class Silent extends Base {
        @Override
        public String call(String key) {
            return effect(key);
        }
    }

    @Alternative
    @Priority(1)
    @ApplicationScoped
    public static class SilentOther extends Plain {
        @Override
        public String call(String key) {
            return effect(key);
        }
    }

    public abstract static class GenericBase<T> {
        @Idempotent(operation = "op", key = "#key", scope = "'s'", request = "#key")
        public String call(String key, T value) {
            return effect(key);
        }
    }

    @ApplicationScoped
    public static class GenericHeir extends GenericBase<Integer> {}

    @ApplicationScoped
    public static class SilentGeneric extends GenericBase<Integer> {
        @Override
        public String call(String key, Integer value) {
            return effect(key);
        }
    }

    abstract static class Hidden {
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        public String call(String key) {
            return effect(key);
        }
    }

    @ApplicationScoped
    public static class Bridged extends Hidden {}

    @ApplicationScoped
    static class Unseen extends Hidden {}

    /** Class files say that it is public. */
    @SuppressWarnings("ProtectedMembersInFinalClass")
    protected abstract static class ProtectedBase {
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        public String call(String key) {
            return effect(key);
        }
    }

    @ApplicationScoped
    public static class BridgedProtected extends ProtectedBase {}

    /** An interface with the annotation. */
    public interface Annotated {
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        String call(String key);
    }

    @ApplicationScoped
    public static class BothAnnotated implements Annotated {
        @Override
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        public String call(String key) {
            return effect(key);
        }
    }

    @ApplicationScoped
    public static class Unannotated implements Annotated {
        @Override
        public String call(String key) {
            return effect(key);
        }
    }

    public static class Implementation {
        public String call(String key) {
            return effect(key);
        }
    }

    @ApplicationScoped
    public static class Implementing extends Implementation implements Annotated {}

    public interface Default {
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        default String call(String key) {
            return effect(key);
        }
    }

    @ApplicationScoped
    public static class Defaulted implements Default {}

    @ApplicationScoped
    public static class Overrides implements Default {
        @Override
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        public String call(String key) {
            return effect(key);
        }
    }

    public interface GenericCall<T> {
        String call(T key);
    }

    @ApplicationScoped
    public static class Bridging implements GenericCall<String> {
        @Override
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        public String call(String key) {
            return effect(key);
        }
    }

    public abstract static class Abstract<T> {
        public abstract String call(T key);
    }

    @ApplicationScoped
    public static class OfAbstract extends Abstract<String> {
        @Override
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        public String call(String key) {
            return effect(key);
        }
    }

    @ApplicationScoped
    public static class NotPublic {
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        protected String ofHeirs(String key) {
            return effect(key);
        }
    }

    @ApplicationScoped
    public static class OfItsPackage {
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        String call(String key) {
            return effect(key);
        }
    }

    @ApplicationScoped
    public static class OfOtherPackage extends OfPackage {}

    /** Does not override the method above. */
    @ApplicationScoped
    public static class Hides extends OfPackage {
        /** Another method. */
        @Idempotent(operation = "hides", key = "#key", scope = "'s'")
        public String call(String key) {
            return effect(key);
        }
    }

    @Vetoed
    public static class CallProduct extends Product implements Call {}

    /** Hides what it makes. */
    @ApplicationScoped
    public static class TypedProducer {
        @Produces
        @Typed(Call.class)
        CallProduct make() {
            return new CallProduct();
        }
    }

    @Alternative
    @Priority(1)
    @ApplicationScoped
    @Typed(Call.class)
    public static class Other implements Call {
        @Override
        @Idempotent(operation = "other", key = "#key", scope = "'s'")
        public String call(String key) {
            return effect(key);
        }
    }

    @Decorator
    @Priority(1)
    public static class Decorating implements Call {
        @Inject
        @Delegate
        Call decorated;

        @Override
        public String call(String key) {
            return decorated.call(key);
        }
    }

    @Decorator
    @Priority(1)
    public static class Annotating implements Call {
        @Inject
        @Delegate
        Call decorated;

        @Override
        @Idempotent(operation = "decorator", key = "#key", scope = "'s'")
        public String call(String key) {
            return decorated.call(key);
        }
    }

    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @interface Trace {}

    @Trace
    @ApplicationScoped
    public static class Traced {
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        public String call(String key) {
            return effect(key);
        }
    }

    @Trace
    @Interceptor
    @Priority(1)
    public static class Tracing {
        @AroundInvoke
        Object trace(InvocationContext invocation) throws Exception {
            return invocation.proceed();
        }
    }

    @Trace
    @Interceptor
    @Priority(1)
    public static class AnnotatedTracing {
        @AroundInvoke
        Object trace(InvocationContext invocation) throws Exception {
            return invocation.proceed();
        }

        @Idempotent(operation = "interceptor", key = "#key", scope = "'s'")
        public String call(String key) {
            return effect(key);
        }
    }

    @ApplicationScoped
    public static class AroundItself extends Base {
        @AroundInvoke
        Object repeat(InvocationContext invocation) throws Exception {
            Object unused = invocation.proceed();
            return invocation.proceed();
        }
    }

    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @interface Repeat {}

    @Repeat
    @Interceptor
    @Priority(Interceptor.Priority.APPLICATION)
    public static class Repeating {
        @AroundInvoke
        Object repeat(InvocationContext invocation) throws Exception {
            try {
                return invocation.proceed();
            } catch (UnsupportedOperationException failed) {
                return invocation.proceed();
            }
        }
    }

    @ApplicationScoped
    public static class Repeated {
        @Repeat
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        public String call(String key) {
            throw new UnsupportedOperationException(effect(key));
        }
    }

    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @interface Change {}

    /** In front of the operation. */
    @Change
    @Interceptor
    @Priority(Interceptor.Priority.PLATFORM_BEFORE)
    public static class Again {
        @AroundInvoke
        Object repeat(InvocationContext invocation) throws Exception {
            Object unused = invocation.proceed();
            return invocation.proceed();
        }
    }

    /** Behind it. */
    @Change
    @Interceptor
    @Priority(Interceptor.Priority.APPLICATION)
    public static class Changing {
        @AroundInvoke
        Object change(InvocationContext invocation) throws Exception {
            invocation.getParameters()[0] += "!";
            return invocation.proceed();
        }
    }

    @ApplicationScoped
    public static class Changed {
        @Change
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        public String call(String key) {
            return effect(key.substring(0, key.indexOf('!')));
        }
    }

    public interface AnyCall {
        Object call(String key);
    }

    @ApplicationScoped
    public static class Narrowing implements AnyCall {
        @Override
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        public String call(String key) {
            return effect(key);
        }
    }

    record Happened(String key) {}

    @ApplicationScoped
    public static class Observer {
        @Idempotent(operation = "op", key = "#happened.key", scope = "'s'")
        void on(@Observes Happened happened) {
            String unused = effect(happened.key());
        }
    }

    public record Made(String key) {}

    @ApplicationScoped
    public static class Maker {
        static String key;

        @Produces
        @Idempotent(operation = "op", key = "'made'", scope = "'s'")
        public Made make() {
            return new Made(effect(key));
        }
    }

    /** No bean by itself. */
    @Vetoed
    public static class Product {
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        public String call(String key) {
            return effect(key);
        }
    }

    @ApplicationScoped
    public static class OfALibrary implements Call {
        @Override
        public String call(String key) {
            return key;
        }
    }

    /** With an annotation that only a compiler or a test needs. */
    @Disabled
    @ApplicationScoped
    public static class Marked {
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        public String call(String key) {
            return effect(key);
        }
    }

    /** Made by nobody but the application. */
    public static class NoBean {
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        public String call(String key) {
            return effect(key);
        }
    }

    @ApplicationScoped
    public static class ByMethod {
        @Produces
        Product product() {
            return new Product();
        }
    }

    @ApplicationScoped
    public static class ByStaticMethod {
        @Produces
        static Product product() {
            return new Product();
        }
    }

    @ApplicationScoped
    public static class ByField {
        @Produces
        Product product = new Product();
    }

    @Vetoed
    public static class ProductsHeir extends Product {}

    @ApplicationScoped
    public static class ByHeir {
        @Produces
        @ApplicationScoped
        ProductsHeir product() {
            return new ProductsHeir();
        }
    }

    @ApplicationScoped
    public static class OfInterface {
        @Produces
        Annotated product() {
            return BeanShapes::effect;
        }
    }

    @ApplicationScoped
    public static class Itself {
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        public String call(String key) {
            return effect(key);
        }

        @Produces
        @Named("another")
        static Itself another() {
            return new Itself();
        }
    }

    @ApplicationScoped
    public static class Private {
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        private String call(String key) {
            return effect(key);
        }

        public String callPrivate(String key) {
            return call(key);
        }
    }

    @ApplicationScoped
    public static class Static {
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        public static String call(String key) {
            return effect(key);
        }
    }

    @Dependent
    public static class Final {
        @Idempotent(operation = "op", key = "#key", scope = "'s'")
        public final String call(String key) {
            return effect(key);
        }
    }

    @ApplicationScoped
    public static class Constructed {
        @PostConstruct
        @Idempotent(operation = "op", key = "'constructed'", scope = "'s'")
        public void begin() {
            String unused = effect("begun");
        }
    }

    @ApplicationScoped
    public static class Initialized {
        @Inject
        @Idempotent(operation = "initializer", key = "'initialized'", scope = "'s'", request = "'none'")
        public void begin(Plain unusedBean) {
            String unused = effect("begun");
        }
    }

    @ApplicationScoped
    public static class Disposing {
        @Produces
        Made make() {
            return new Made("made");
        }

        @Idempotent(operation = "op", key = "#made.key", scope = "'s'")
        public void dispose(@Disposes Made made) {
            String unused = effect(made.key());
        }
    }

    /** The operations' store. */
    @ApplicationScoped
    public static class Store {
        @Produces
        Idempotency<Connection> idempotency() {
            return idempotency;
        }
    }

    /** Made by an extension. */
    @Vetoed
    public static class OfExtension extends Product {}

    /** Those of full CDI, which Quarkus has not. */
    public static Stream<Shape> ofFullCdi() {
        return Stream.of(
                isProtected("a specialized bean", key -> get(Plain.class).call(key), Plain.class, Special.class),
                isRefused(
                        "a specialized bean's override",
                        "overrides it without the annotation",
                        Plain.class,
                        SilentSpecial.class));
    }

    @Specializes
    public static class Special extends Plain {
        @Override
        @Idempotent(operation = "special", key = "#key", scope = "'s'")
        public String call(String key) {
            return effect(key);
        }
    }

    @Specializes
    public static class SilentSpecial extends Plain {
        @Override
        public String call(String key) {
            return effect(key);
        }
    }
}
