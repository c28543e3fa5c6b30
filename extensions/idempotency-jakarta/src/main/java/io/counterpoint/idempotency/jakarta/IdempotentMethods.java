package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.annotation.CallerScope;
import io.counterpoint.idempotency.annotation.Idempotent;
import io.counterpoint.idempotency.annotation.OperationCustomizer;
import io.counterpoint.idempotency.annotation.ResultCodecs;
import io.counterpoint.idempotency.annotation.internal.PurgeTask;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.Startup;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.inject.Inject;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The annotated methods of an application. All of them are validated, and their operations built, at startup. */
@ApplicationScoped
class IdempotentMethods {

    private final Map<Method, IdempotentMethod> methods = new ConcurrentHashMap<>();
    private final Map<Method, Class<?>> beanOf = new HashMap<>();
    private final Map<String, IdempotentMethod> ofOperation = new ConcurrentHashMap<>();
    private final Map<Method, Operation<Connection, Object>> operations = new ConcurrentHashMap<>();
    private @Nullable Idempotency<Connection> used;
    private @Nullable HttpAttempts http;
    private @Nullable PurgeTask purge;
    private volatile boolean needsFilter;

    @Inject
    BeanManager beans;

    @Inject
    Instance<Idempotency<Connection>> idempotency;

    @Inject
    ConfiguredStore store;

    @Inject
    Instance<CallerScope> callers;

    @Inject
    Instance<HttpAttempts> https;

    @Inject
    Instance<ResultCodecs> codecs;

    @Inject
    Instance<OperationCustomizer> customizers;

    void check(@Observes Startup startup) {
        needsFilter = RequiredRoutes.exist();
        if (needsFilter && !isServing()) {
            throw RequiredRoutes.refusal("neither servlets nor JAX-RS is available, or idempotency-servlet is missing");
        }
        for (Bean<?> bean : beans.getBeans(Object.class, Any.Literal.INSTANCE)) {
            for (Class<?> type = bean.getBeanClass(); type != null; type = type.getSuperclass()) {
                methodsOf(type)
                        .filter(method -> method.isAnnotationPresent(Idempotent.class) && !method.isBridge())
                        .filter(method -> !isOverridden(method, bean.getBeanClass()))
                        .forEach(method -> check(method, bean.getBeanClass()));
            }
        }
    }

    private void check(Method method, Class<?> bean) {
        IdempotentMethod checked = of(method);
        checked.requireFitting(bean);
        Class<?> other = beanOf.putIfAbsent(method, bean);
        if (other != null && other != bean) {
            throw checked.refusal(
                    bean.getName() + " and " + other.getName() + " both inherit it, so they would share one"
                            + " operation.",
                    "Override it in each, with an operation of its own: otherwise one would replay the results of the"
                            + " other.");
        }
        operation(checked);
    }

    /**
     * Checked on each call, because a servlet container may start after this bean, so a missing filter cannot be
     * detected at startup.
     */
    void requireFilter() {
        if (needsFilter && !RequiredRoutes.areFiltered()) {
            throw RequiredRoutes.refusal(
                    "the filter is not registered. An Application that lists its classes must also list"
                            + " ResourceFilter, AnswerFilter and ProblemMapper");
        }
    }

    /**
     * Returns nothing for a class that refers to an absent one, as library classes may. Its methods are checked when
     * they are called.
     */
    static Stream<Method> methodsOf(Class<?> type) {
        try {
            return Arrays.stream(type.getDeclaredMethods());
        } catch (NoClassDefFoundError absent) {
            return Stream.empty();
        }
    }

    /** Returns the validated method. */
    IdempotentMethod of(Method method) {
        return methods.computeIfAbsent(method, this::checked);
    }

    private static boolean isOverridden(Method method, Class<?> bean) {
        int visible = Modifier.PUBLIC | Modifier.PROTECTED;
        for (Class<?> type = bean; type != method.getDeclaringClass(); type = type.getSuperclass()) {
            boolean sees = (method.getModifiers() & visible) != 0
                    || type.getPackage() == method.getDeclaringClass().getPackage();
            if (sees
                    && methodsOf(type)
                            .anyMatch(it -> it.getName().equals(method.getName())
                                    && Arrays.equals(it.getParameterTypes(), method.getParameterTypes()))) {
                return true;
            }
        }
        return false;
    }

    private IdempotentMethod checked(Method method) {
        IdempotentMethod made = new IdempotentMethod(method);
        IdempotentMethod other = ofOperation.putIfAbsent(made.operation(), made);
        if (other != null) {
            throw made.refusal(
                    "the operation " + made.operation() + " already belongs to "
                            + other.method().getDeclaringClass().getName() + "."
                            + other.method().getName() + ".",
                    "Give each method an operation of its own: otherwise one would replay the results of the other.");
        }
        return made;
    }

    Operation<Connection, Object> operation(IdempotentMethod method) {
        return operations.computeIfAbsent(method.method(), unused -> build(method));
    }

    private Operation<Connection, Object> build(IdempotentMethod method) {
        if (method.needsCallerScope()) {
            requireNotSeveral(method, CallerScope.class, callers);
        }
        requireNotSeveral(method, ResultCodecs.class, codecs);
        if (method.needsCallerScope()
                && callers.isUnsatisfied()
                && !isServing()
                && anonymous().isEmpty()) {
            throw method.refusal(
                    "its scope is not set, and no bean identifies the caller.",
                    "Define a bean of type " + CallerScope.class.getName() + ", set the scope, or set"
                            + " idempotency.anonymous=true.");
        }
        if (method.usesHttpAttempt() && !isServing()) {
            throw method.refusal(
                    "#attempt belongs to an HTTP request, but neither servlets nor JAX-RS is available, or"
                            + " idempotency-servlet is missing.",
                    "Add them. " + RequiredRoutes.IN_QUARKUS + ", or give the method a parameter of that name.");
        }
        return method.annotated()
                .build(
                        idempotency(method),
                        codecs.isResolvable() ? codecs.get() : JsonResults.orRefusal(),
                        customizers.stream().toList(),
                        Settings::duration);
    }

    /** The default in place of them could confuse callers, or store secrets. */
    private static void requireNotSeveral(IdempotentMethod method, Class<?> type, Instance<?> beans) {
        if (beans.isAmbiguous()) {
            throw method.refusal(
                    "expected one bean of type " + type.getName() + ", found several.",
                    "Remove the others, or make one of them an @Alternative with a @Priority.");
        }
    }

    private synchronized Idempotency<Connection> idempotency(IdempotentMethod method) {
        if (used == null) {
            used = idempotency.isUnsatisfied()
                    ? store.find().map(IdempotentMethods::withDefaults).orElse(null)
                    : idempotency.isResolvable() ? produced(method) : null;
            if (used == null) {
                throw method.refusal(
                        "expected one bean of type Idempotency<Connection>, or one each of TransactionManager,"
                                + " TransactionSynchronizationRegistry and DataSource, found none or several.",
                        "Produce an Idempotency<Connection> with a JakartaIdempotencyStore.");
            }
            if (Settings.isSet("idempotency.purge.enabled", true)) {
                purge = new PurgeTask(
                        used,
                        Settings.duration("idempotency.purge.interval", "1m"),
                        Math.toIntExact(Settings.size("idempotency.purge.batch", "1000")));
                purge.start();
            }
        }
        return used;
    }

    private static Idempotency<Connection> withDefaults(IdempotencyStore<Connection> store) {
        return Idempotency.builder(store).defaults(Settings::applyTo).build();
    }

    /** Returns the instance produced by the application, with its own defaults. */
    private Idempotency<Connection> produced(IdempotentMethod method) {
        Settings.defaults().findFirst().ifPresent(name -> {
            throw method.refusal(
                    name + " is set, but the application produces its own Idempotency<Connection>, which ignores the"
                            + " setting.",
                    "Remove the setting, and call Idempotency.builder(store).defaults(…) in the producer.");
        });
        return idempotency.get();
    }

    @PreDestroy
    synchronized void stop() {
        if (purge != null) {
            purge.stop();
        }
    }

    /** Created on demand, because its class cannot be loaded without servlets. */
    synchronized HttpAttempts http() {
        if (http == null) {
            http = https.get();
        }
        return http;
    }

    private boolean isServing() {
        return https.isResolvable() && http().isServing();
    }

    static Optional<String> anonymous() {
        return Settings.isSet("idempotency.anonymous", false) ? Optional.of("anonymous") : Optional.empty();
    }

    /** The bean that identifies the caller, or else the caller authenticated by the servlet container. */
    CallerScope callerScope() {
        CallerScope known = callers.isResolvable() ? callers.get() : isServing() ? http()::caller : Optional::empty;
        return () -> known.current().or(IdempotentMethods::anonymous);
    }
}
