package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.annotation.CallerScope;
import io.counterpoint.idempotency.annotation.Idempotent;
import io.counterpoint.idempotency.annotation.InvalidIdempotentMethodException;
import io.counterpoint.idempotency.annotation.OperationCustomizer;
import io.counterpoint.idempotency.annotation.ResultCodecs;
import io.counterpoint.idempotency.annotation.internal.AnnotatedOperation;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.MethodClassKey;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.expression.spel.support.ReflectiveMethodResolver;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * The annotated methods of an application. A class is validated before a proxy of it is created; the operations are
 * built once all beans exist. Other beans are requested only then, because Spring creates this one before most of them.
 */
final class IdempotentMethods implements SmartInitializingSingleton {

    private static final Logger LOG = LoggerFactory.getLogger(IdempotentMethods.class);

    private final ConfigurableListableBeanFactory beans;
    private final Map<Class<?>, Map<Method, IdempotentMethod>> ofClass = new ConcurrentHashMap<>();
    /** A cache, because the most specific method and the annotations of a class are looked up by reflection. */
    private final Map<MethodClassKey, Optional<IdempotentMethod>> ofCall = new ConcurrentHashMap<>();

    private final Map<String, IdempotentMethod> ofOperation = new ConcurrentHashMap<>();
    private final Map<Method, Operation<?, Object>> operations = new ConcurrentHashMap<>();
    private final Map<Method, MethodTransaction> transactions = new ConcurrentHashMap<>();
    /** Shares reflective lookups among the contexts of all calls. */
    private final StandardEvaluationContext shared = new StandardEvaluationContext();
    /** The same, for expressions whose value becomes text. */
    private final StandardEvaluationContext sharedForText = new StandardEvaluationContext();

    private final SingletonSupplier<CallerScope> callerScope;
    private final SingletonSupplier<CountedMethods> counted;

    IdempotentMethods(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
        this.shared.setBeanResolver(new BeanFactoryResolver(beans));
        this.sharedForText.setBeanResolver(new BeanFactoryResolver(beans));
        this.sharedForText.setMethodResolvers(List.of(new TextMethods(new ReflectiveMethodResolver())));
        this.callerScope = SingletonSupplier.of(
                () -> beans.getBeanProvider(CallerScope.class).getIfAvailable(() -> Optional::empty));
        this.counted = SingletonSupplier.of(() ->
                beans.getBeanProvider(CountedMethods.class).getIfAvailable(() -> new CountedMethods(null, Set.of())));
    }

    /** Whether a class has annotated methods; all of them are validated. */
    boolean areIn(Class<?> type) {
        return !of(type).isEmpty();
    }

    /** The annotated methods of a class; all of them are validated. */
    Collection<IdempotentMethod> in(Class<?> type) {
        return of(type).values();
    }

    /** The annotated method that a call of a bean invokes, or null. */
    @Nullable
    IdempotentMethod find(Method method, Class<?> type) {
        MethodClassKey call = new MethodClassKey(method, type);
        Optional<IdempotentMethod> known = ofCall.get(call);
        if (known == null) {
            known = Optional.ofNullable(of(type).get(AopUtils.getMostSpecificMethod(method, type)));
            ofCall.put(call, known);
        }
        return known.orElse(null);
    }

    /** The operation of a method. */
    Operation<?, Object> operation(IdempotentMethod method) {
        Operation<?, Object> known = operations.get(method.method());
        if (known != null) {
            return known;
        }
        Operation<?, Object> built = build(method);
        Operation<?, Object> first = operations.putIfAbsent(method.method(), built);
        return first == null ? built : first;
    }

    /** Stores the {@code @Transactional} of a method, if it has one. */
    void define(IdempotentMethod method, @Nullable MethodTransaction transaction) {
        if (transaction != null) {
            transactions.put(method.method(), transaction);
        }
    }

    /** The {@code @Transactional} of a method, or null. */
    @Nullable
    MethodTransaction transaction(IdempotentMethod method) {
        return transactions.get(method.method());
    }

    /** The context for a call's request expressions. */
    CallContext context(IdempotentMethod method, @Nullable Object[] arguments, @Nullable Attempt http) {
        return new CallContext(shared, method, arguments, http);
    }

    /** The context for a call's key and scope expressions. */
    CallContext contextForText(IdempotentMethod method, @Nullable Object[] arguments, @Nullable Attempt http) {
        return new CallContext(sharedForText, method, arguments, http);
    }

    /** The bean that identifies the caller. */
    CallerScope callerScope() {
        return callerScope.obtain();
    }

    /** The counter of duplicates of an operation that is not protected; null if it is. */
    @Nullable
    DuplicateCounter counterOf(String operation) {
        return counted.obtain().of(operation);
    }

    /** Logs at startup what is not protected. */
    private void tellWhatIsCounted() {
        CountedMethods methods = counted.obtain();
        Set<String> operations = new TreeSet<>(ofOperation.keySet());
        if (!operations.containsAll(methods.protectedOperations())) {
            throw new IllegalStateException("idempotency.protect names " + methods.protectedOperations() + ", but the"
                    + " operations of annotated methods are " + operations + ". Correct the names.");
        }
        operations.removeAll(methods.protectedOperations());
        if (methods.counter() != null) {
            LOG.warn(
                    "idempotency.mode=count: duplicates are counted, but their work runs. NOT PROTECTED: {}."
                            + " Protected: {}.",
                    operations,
                    methods.protectedOperations());
        }
    }

    @Override
    public void afterSingletonsInstantiated() {
        Map<Class<?>, String> ofBeans = new HashMap<>();
        for (String name : beans.getBeanDefinitionNames()) {
            Class<?> type = beans.containsSingleton(name)
                            || !beans.getMergedBeanDefinition(name).isAbstract()
                    ? AutoProxyUtils.determineTargetClass(beans, name)
                    : null;
            if (type != null) {
                of(type).values().forEach(this::operation);
                requireOneBean(type, name, ofBeans);
            }
        }
        tellWhatIsCounted();
    }

    /**
     * The proxy of a scoped bean and the bean itself count as one. Several beans may use the attempt of an HTTP
     * request, because each request can use it only once.
     */
    private void requireOneBean(Class<?> anyType, String name, Map<Class<?>, String> ofBeans) {
        Class<?> type = ClassUtils.getUserClass(anyType);
        String other = ScopedProxyUtils.isScopedTarget(name) ? null : ofBeans.putIfAbsent(type, name);
        Optional<IdempotentMethod> shared =
                in(type).stream().filter(it -> !it.isOfHttpAttempt()).findFirst();
        if (other != null && shared.isPresent()) {
            throw new InvalidIdempotentMethodException(
                    shared.get().method(),
                    "the beans " + other + " and " + name + " are both of " + type.getName()
                            + ", so they would share an operation, and one would replay the results of the other.",
                    "Remove one of them, or give each a subclass that overrides the method with an operation of its"
                            + " own.");
        }
    }

    private Map<Method, IdempotentMethod> of(Class<?> anyType) {
        Class<?> type = ClassUtils.getUserClass(anyType);
        if (!AnnotationUtils.isCandidateClass(type, Idempotent.class)) {
            return Map.of();
        }
        Map<Method, IdempotentMethod> known = ofClass.get(type);
        if (known == null) {
            known = checked(type);
            ofClass.put(type, known);
        }
        return known;
    }

    /** Keyed by the methods themselves: callers of a wider type call a bridge method, which leads to one of them. */
    private Map<Method, IdempotentMethod> checked(Class<?> type) {
        Map<Method, IdempotentMethod> checked = new HashMap<>();
        for (Method any : MethodIntrospector.selectMethods(type, (Method method) -> annotation(method) != null)) {
            Method method = AopUtils.getMostSpecificMethod(any, type);
            Idempotent annotation = annotation(method);
            if (annotation != null && !type.isInterface() && !checked.containsKey(method)) {
                checked.put(method, checked(IdempotentMethod.of(method, type, annotation)));
            }
        }
        SelfCalls.refuse(type, checked.keySet());
        return checked;
    }

    private static @Nullable Idempotent annotation(Method method) {
        return AnnotatedElementUtils.findMergedAnnotation(method, Idempotent.class);
    }

    private IdempotentMethod checked(IdempotentMethod method) {
        IdempotentMethod other = ofOperation.putIfAbsent(method.operation(), method);
        if (other == null || (other.method().equals(method.method()) && other.type() == method.type())) {
            return method;
        }
        boolean inherited = other.method().equals(method.method());
        throw new InvalidIdempotentMethodException(
                method.method(),
                "the operation " + method.operation() + " already belongs to "
                        + (inherited ? other.type() : other.method().getDeclaringClass()).getName() + "."
                        + other.method().getName() + ".",
                (inherited
                                ? "Two classes inherit the method. Override it in each, with an operation of its own:"
                                : "Give each method an operation of its own:")
                        + " otherwise one would replay the results of the other.");
    }

    private Operation<?, Object> build(IdempotentMethod method) {
        if (method.needsCallerScope()
                && beans.getBeanProvider(CallerScope.class).getIfAvailable() == null) {
            throw new InvalidIdempotentMethodException(
                    method.method(),
                    "its scope is not set, and no bean identifies the caller.",
                    "Add Spring Security, define a bean of type " + CallerScope.class.getName() + ", or set"
                            + " idempotency.anonymous=true. In a listener, set scope = \"'queue:orders'\".");
        }
        ResultCodecs codecs = beans.getBeanProvider(ResultCodecs.class).getIfAvailable(() -> (operation, result) -> {
            throw new IllegalStateException("there is no bean of type " + ResultCodecs.class.getName() + ", because"
                    + " Jackson is not on the class path: add spring-boot-starter-jackson with Spring Boot 4, or"
                    + " spring-boot-starter-json with 3.5");
        });
        MethodTransaction transaction = transaction(method);
        if (transaction != null) {
            transaction.requireManager(method, beans);
        }
        return new AnnotatedOperation(method.method(), method.annotation(), method.result())
                .build(
                        idempotency(method),
                        codecs,
                        beans.getBeanProvider(OperationCustomizer.class)
                                .orderedStream()
                                .toList(),
                        text -> duration(String.valueOf(beans.resolveEmbeddedValue(text))));
    }

    private static Duration duration(String text) {
        if (text.matches("[+-]?[0-9_]*[1-9][0-9_]*")) {
            throw new IllegalArgumentException("a time needs a unit, such as " + text + "h or " + text + "ms");
        }
        return DurationStyle.detectAndParse(text);
    }

    private Idempotency<?> idempotency(IdempotentMethod method) {
        @SuppressWarnings("rawtypes") // any handle will do: the method gets its transaction from Spring
        ObjectProvider<Idempotency> candidates = beans.getBeanProvider(Idempotency.class);
        Idempotency<?> unique = candidates.getIfUnique();
        if (unique == null) {
            throw new InvalidIdempotentMethodException(
                    method.method(),
                    "expected one bean of type " + Idempotency.class.getName() + ", found "
                            + beans.getBeanNamesForType(Idempotency.class).length + ".",
                    "Define a DataSource; if there are several, annotate one with @IdempotencyDataSource or @Primary.");
        }
        return unique;
    }
}
