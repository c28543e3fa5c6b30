package io.counterpoint.idempotency.jakarta;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.servlet.FilterConfig;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRegistration;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An application whose routes need a key does not start where the filter would not see their requests. */
class FilterAtStartTest {

    private final ClassLoader before = Thread.currentThread().getContextClassLoader();

    @AfterEach
    void restore() {
        Thread.currentThread().setContextClassLoader(before);
        System.clearProperty("idempotency.http.required");
        System.clearProperty("idempotency.http.elsewhere");
    }

    /** Answers each call by the method's name. */
    static <T> T proxy(Class<T> type, Function<String, @Nullable Object> answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, unused) -> answer.apply(method.getName())));
    }

    /** Of a container that registers the filter, or has one of its name. */
    static ServletContext context(boolean registers, String... mappings) {
        return proxy(ServletContext.class, called -> switch (called) {
            case "addFilter" -> registers ? proxy(FilterRegistration.Dynamic.class, unused -> null) : null;
            case "getServletRegistrations" ->
                Map.of("servlet", proxy(ServletRegistration.class, unused -> List.of(mappings)));
            default -> throw new UnsupportedOperationException(called);
        });
    }

    private static void start(String... mappings) {
        new FilterAtStart().init(proxy(FilterConfig.class, unused -> context(true, mappings)));
    }

    @ParameterizedTest
    @CsvSource({
        "/orders, /",
        "/orders, /*",
        "/orders, /orders/1",
        "/orders, /order/*",
        "/orders/*, /orders",
        "/*, /orders/*",
        "/*, /*",
    })
    void requiredRouteThatNoServletOfItsOwnServesIsRefusedBesideQuarkusRest(String route, String mapping) {
        System.setProperty("idempotency.http.required", "/groups," + route);
        assertThatThrownBy(() -> start("/groups", mapping))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("quarkus-rest passes no servlet filter")
                .hasMessageContaining("[" + route + "]")
                .hasMessageContaining("quarkus-resteasy")
                .hasMessageContaining("#start-refused");
    }

    @Test
    void allOtherPathsCannotBeRequiredBesideQuarkusRest() {
        System.setProperty("idempotency.http.elsewhere", "required");
        assertThatThrownBy(() -> start("/orders")).hasMessageContaining("idempotency.http.elsewhere");
    }

    @ParameterizedTest
    @CsvSource({"/orders, /orders", "/orders, /orders/*", "/orders/*, /orders/*", "/orders/1, /orders/*"})
    void requiredRouteOfAServletIsProtectedBesideQuarkusRest(String route, String mapping) {
        System.setProperty("idempotency.http.required", route);
        assertThatCode(() -> start("/", mapping)).doesNotThrowAnyException();
    }

    @Test
    void withoutQuarkusRestNoMappingIsAskedFor() {
        Thread.currentThread().setContextClassLoader(ClassLoader.getPlatformClassLoader());
        System.setProperty("idempotency.http.required", "/orders");
        assertThatCode(() -> start("/*")).doesNotThrowAnyException();
    }

    @Test
    void anotherFilterOfItsNameIsRefusedWhereARouteNeedsAKey() {
        assertThatCode(() -> new FilterAtStart().onStartup(null, context(false)))
                .doesNotThrowAnyException();
        System.setProperty("idempotency.http.required", "/orders");
        assertThatThrownBy(() -> new FilterAtStart().onStartup(null, context(false)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("another filter is named idempotency")
                .hasMessageContaining("#start-refused");
    }
}
