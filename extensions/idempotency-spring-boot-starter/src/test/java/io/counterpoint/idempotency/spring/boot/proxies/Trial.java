package io.counterpoint.idempotency.spring.boot.proxies;

import io.counterpoint.idempotency.annotation.InvalidIdempotentMethodException;
import io.counterpoint.idempotency.spring.boot.IdempotencyAutoConfiguration;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.BeanCurrentlyInCreationException;
import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.config.CustomScopeConfigurer;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.CacheManager;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.core.task.TaskExecutor;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.scheduling.concurrent.ConcurrentTaskExecutor;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Starts an application with the bean of one cell, and calls it.
 *
 * @param cell says what the bean is
 * @param classProxies whether proxies are of classes, where an interface would do
 * @param classes those of the cell
 */
record Trial(Cell cell, boolean classProxies, ClassLoader classes) {

    static final String ONCE = "once";

    /** Followed by the words of the refusal. */
    static final String REFUSED = "refused";

    @Configuration(proxyBeanMethods = false)
    static class Surroundings {
        @Bean
        DataSource dataSource() {
            return Effects.DATABASE;
        }

        @Bean
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource);
        }

        @Bean
        CacheManager cacheManager() {
            return new ConcurrentMapCacheManager();
        }

        @Bean
        TaskExecutor taskExecutor() {
            return new ConcurrentTaskExecutor(Effects.ASYNC);
        }

        @Bean
        static CustomScopeConfigurer threadScope() {
            CustomScopeConfigurer scopes = new CustomScopeConfigurer();
            scopes.addScope("thread", new SimpleThreadScope());
            return scopes;
        }
    }

    /** What happens: {@link #ONCE}, {@link #REFUSED} with its words, or a hole. */
    String outcome() {
        String[] outcome = {"NOT TRIED"};
        try {
            if (cell.shape().equals("context of a parent")) {
                library()
                        .run(parent -> new ApplicationContextRunner()
                                .withParent(parent)
                                .withClassLoader(classes)
                                .withUserConfiguration(named(cell.setup()), named(cell.name() + ".enabling.Enabling"))
                                .run(child -> outcome[0] = outcomeIn(
                                        child.getSourceApplicationContext(ConfigurableApplicationContext.class),
                                        child.getStartupFailure())));
            } else {
                library()
                        .withUserConfiguration(named(cell.setup()), named(cell.name() + ".enabling.Enabling"))
                        .run(context -> outcome[0] = outcomeIn(context, context.getStartupFailure()));
            }
        } catch (Throwable failed) {
            return refusal(failed).orElseGet(() -> "FAILS: " + failed);
        }
        return outcome[0];
    }

    private ApplicationContextRunner library() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(IdempotencyAutoConfiguration.class))
                .withClassLoader(cell.shape().contains("other class loader") ? new Effects.Loader(classes) : classes)
                .withAllowCircularReferences(true)
                .withPropertyValues(
                        "idempotency.create-table=true",
                        "idempotency.check-table=false",
                        "idempotency.purge.enabled=false")
                .withInitializer(context -> {
                    if (classProxies) {
                        BeanDefinitionRegistry registry = (BeanDefinitionRegistry) context.getBeanFactory();
                        AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
                        AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
                    }
                })
                .withUserConfiguration(Surroundings.class);
    }

    private String outcomeIn(ApplicationContext context, @Nullable Throwable failure) {
        if (failure != null) {
            return refusal(failure).orElseGet(() -> "FAILS: " + root(failure));
        }
        try {
            Map<String, Route> routes = routes(context);
            if (routes.isEmpty()) {
                return "NOBODY CAN CALL IT";
            }
            login("BUYER");
            String hole = holeIn(routes);
            return hole == null ? ONCE : hole;
        } catch (Throwable failed) {
            return refusal(failed).orElseGet(() -> "FAILS: " + root(failed));
        } finally {
            SecurityContextHolder.clearContext();
        }
    }

    private @Nullable String holeIn(Map<String, Route> routes) throws Throwable {
        String id = "-" + cell.name() + "-" + classProxies + "-";
        for (Map.Entry<String, Route> route : routes.entrySet()) {
            String twice = "twice" + id + route.getKey();
            route.getValue().call(twice);
            route.getValue().call(twice);
            String failing = "failing" + id + route.getKey();
            boolean done = IntStream.range(0, 3)
                            .filter(call -> succeeds(route.getValue(), failing))
                            .count()
                    > 0;
            String conflict = "conflict" + id + route.getKey();
            route.getValue().call(conflict);
            int failed = Effects.count(failing);
            if (Effects.count(twice) != 1) {
                return "CALLED TWICE, RUNS " + Effects.count(twice) + " TIMES, by " + route.getKey();
            }
            if (failed > 1 || (!done && failed > 0)) {
                return "AFTER A FAILURE " + failed + " EFFECTS, by " + route.getKey();
            }
            if (Effects.count(conflict) != 1) {
                return "AFTER A CONFLICT " + Effects.count(conflict) + " EFFECTS, by " + route.getKey();
            }
        }
        for (Route route : routes.values()) {
            route.call("shared" + id);
        }
        if (Effects.count("shared" + id) != 1) {
            return "BY ALL ROUTES RUNS " + Effects.count("shared" + id) + " TIMES";
        }
        return cell.companion().name().startsWith("@PreAuthorize") && isToldToAStranger(routes, "shared" + id)
                ? "A STRANGER SEES THE ANSWER"
                : null;
    }

    private static boolean isToldToAStranger(Map<String, Route> routes, String key) throws Throwable {
        login("GUEST");
        for (Route route : routes.values()) {
            try {
                route.call(key);
                return true;
            } catch (AccessDeniedException denied) {
                // As it should be.
            }
        }
        return false;
    }

    private static boolean succeeds(Route route, String key) {
        try {
            route.call(key);
            return true;
        } catch (Throwable failed) {
            return false;
        }
    }

    private static void login(String role) {
        SecurityContextHolder.setContext(
                new SecurityContextImpl(new TestingAuthenticationToken("ann", "secret", "ROLE_" + role)));
    }

    private interface Route {
        void call(String key) throws Throwable;
    }

    private Map<String, Route> routes(ApplicationContext context) {
        Map<String, Route> found = new LinkedHashMap<>();
        Class<?> type = cell.routes().stream()
                .filter(name -> isThere(name))
                .map(this::named)
                .findFirst()
                .orElseThrow();
        List<Method> methods = Arrays.stream(type.getDeclaredMethods())
                .filter(method -> !method.isSynthetic())
                .sorted(Comparator.comparing(Method::getName))
                .toList();
        for (Method method : methods) {
            method.setAccessible(true);
            Object bean = beanOf(method.getParameterTypes()[0], context);
            if (bean != null) {
                found.put(method.getName(), key -> {
                    try {
                        method.invoke(null, bean, key);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
            }
        }
        return found;
    }

    /** Null where a proxy of interfaces hides the type. */
    private static @Nullable Object beanOf(Class<?> type, ApplicationContext context) {
        try {
            return context.getBeanProvider(type).getIfAvailable();
        } catch (BeanNotOfRequiredTypeException hidden) {
            return null;
        }
    }

    private boolean isThere(String name) {
        try {
            Class.forName(name, false, classes);
            return true;
        } catch (ClassNotFoundException notThere) {
            return false;
        }
    }

    private Class<?> named(String name) {
        try {
            return Class.forName(name, false, classes);
        } catch (ClassNotFoundException missing) {
            throw new IllegalStateException(missing);
        }
    }

    /** The words of a refusal, also of Spring's own of a circle that it cannot close. */
    private static Optional<String> refusal(Throwable failure) {
        return Stream.iterate(failure, it -> it != null, Throwable::getCause)
                .filter(it -> it instanceof InvalidIdempotentMethodException
                        || it instanceof BeanCurrentlyInCreationException)
                .findFirst()
                .map(it -> it instanceof InvalidIdempotentMethodException
                        ? REFUSED + ": " + unnamed(String.valueOf(it.getMessage()))
                        : REFUSED + " by Spring: a bean is still being made");
    }

    /** Without what differs from cell to cell, and from run to run. */
    private static String unnamed(String message) {
        return message.replaceAll("@Idempotent on \\S+: ", "")
                .replaceAll("cell\\.c\\d+(\\.(base|heir))?\\.?", "")
                .replaceAll("\\$\\$Lambda[^ ,]*", "\\$\\$Lambda")
                .replaceAll("\\$Proxy\\d+", "\\$Proxy")
                .replaceAll("lambda\\$call\\$\\d", "lambda")
                .replaceAll(" See <\\S+>\\.$", "");
    }

    private static Throwable root(Throwable failure) {
        return Stream.iterate(failure, it -> it != null, Throwable::getCause).reduce(failure, (outer, inner) -> inner);
    }
}
