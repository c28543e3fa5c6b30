package io.counterpoint.idempotency.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.OutcomeUnknownException;
import org.junit.jupiter.api.Test;
import org.springframework.beans.BeanUtils;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.annotation.Order;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.method.HandlerMethod;

/** The application's handler answers only if it names the library's exception and Spring would choose it. */
class NamingHandlersTest {

    private static final Exception UNKNOWN = new OutcomeUnknownException(
            IdempotencyException.Reason.COMMIT_UNANSWERED,
            IdempotencyKey.inScope("test").operation("pay").value("k"),
            null);

    private static final Exception WRAPPED = new IllegalStateException("of a framework", UNKNOWN);

    private static boolean isNamed(Class<?> controller, Exception thrown, Class<?>... advices) throws Exception {
        return isNamed("*/*", controller, thrown, advices);
    }

    private static boolean isNamed(String accepted, Class<?> controller, Exception thrown, Class<?>... advices)
            throws Exception {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.addHeader("Accept", accepted);
        HandlerMethod handler = new HandlerMethod(BeanUtils.instantiateClass(controller), "hashCode");
        try (var context = new AnnotationConfigApplicationContext(advices)) {
            return new NamingHandlers(context).name(handler, thrown, UNKNOWN, request);
        }
    }

    @Test
    void handlerOfTheExceptionOrOfItsCauseAnswers() throws Exception {
        assertThat(isNamed(Object.class, UNKNOWN, Naming.class)).isTrue();
        assertThat(isNamed(Object.class, WRAPPED, Naming.class)).isTrue();
        assertThat(isNamed(Object.class, UNKNOWN, Both.class)).isTrue();
        assertThat(isNamed(Naming.class, UNKNOWN, Everything.class)).isTrue();
    }

    @Test
    void handlerForAllThatSpringWouldChooseInsteadDoesNot() throws Exception {
        assertThat(isNamed(Object.class, WRAPPED, Both.class)).isFalse();
        assertThat(isNamed(Object.class, UNKNOWN, Everything.class, Naming.class))
                .isFalse();
        assertThat(isNamed(Everything.class, UNKNOWN, Naming.class)).isFalse();
    }

    /** Spring chooses no handler whose response the client does not accept. */
    @Test
    void handlerOfAnotherMediaTypeDoesNot() throws Exception {
        assertThat(isNamed("text/html", Object.class, UNKNOWN, Pages.class)).isTrue();
        assertThat(isNamed("application/json", Object.class, UNKNOWN, Pages.class))
                .isFalse();
        assertThat(isNamed("text/html", Pages.class, UNKNOWN, Everything.class)).isTrue();
        assertThat(isNamed("application/json", Pages.class, UNKNOWN, Everything.class))
                .isFalse();
    }

    @ControllerAdvice
    static class Pages {
        @ExceptionHandler(produces = "text/html")
        void failed(IdempotencyException thrown) {}

        @ExceptionHandler(produces = "application/json")
        void failed(Exception thrown) {}
    }

    @ControllerAdvice
    static class Naming {
        @ExceptionHandler
        void failed(IdempotencyException thrown) {}
    }

    @Order(0)
    @ControllerAdvice
    static class Everything {
        @ExceptionHandler
        void failed(Exception thrown) {}
    }

    @ControllerAdvice
    static class Both {
        @ExceptionHandler
        void unknown(OutcomeUnknownException thrown) {}

        @ExceptionHandler
        void failed(Exception thrown) {}
    }
}
