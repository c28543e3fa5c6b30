package io.counterpoint.idempotency.jakarta;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContext;
import java.lang.reflect.Proxy;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An application whose routes need a key does not start where the filter would not see their requests. */
class FilterAtStartTest {

    @AfterEach
    void restore() {
        System.clearProperty("idempotency.http.required");
    }

    /** Answers each call by the method's name. */
    static <T> T proxy(Class<T> type, Function<String, @Nullable Object> answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, unused) -> answer.apply(method.getName())));
    }

    /** Of a container that registers the filter, or has one of its name. */
    static ServletContext context(boolean registers) {
        return proxy(
                ServletContext.class,
                addFilter -> registers ? proxy(FilterRegistration.Dynamic.class, unused -> null) : null);
    }

    @Test
    void anotherFilterOfItsNameIsRefusedWhereARouteNeedsAKey() {
        assertThatCode(() -> new FilterAtStart().onStartup(null, context(false)))
                .doesNotThrowAnyException();
        System.setProperty("idempotency.http.required", "/orders");
        assertThatThrownBy(() -> new FilterAtStart().onStartup(null, context(false)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("another filter is already named idempotency")
                .hasMessageContaining("#start-refused");
    }
}
