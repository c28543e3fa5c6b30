package io.counterpoint.idempotency.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.OutcomeUnknownException;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.annotation.Order;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/** The application's handler answers only if it names the library's exception and Spring would choose it. */
class NamingHandlersTest {

    private static final Exception UNKNOWN = new OutcomeUnknownException(
            IdempotencyException.Reason.COMMIT_UNANSWERED,
            IdempotencyKey.inScope("test").operation("pay").value("k"),
            null);

    private static final Exception WRAPPED = new IllegalStateException("of a framework", UNKNOWN);

    private static boolean isNamed(Class<?> controller, Exception thrown, Class<?>... advices) {
        try (var context = new AnnotationConfigApplicationContext(advices)) {
            return new NamingHandlers(context).name(controller, thrown, UNKNOWN);
        }
    }

    @Test
    void handlerOfTheExceptionOrOfItsCauseAnswers() {
        assertThat(isNamed(Object.class, UNKNOWN, Naming.class)).isTrue();
        assertThat(isNamed(Object.class, WRAPPED, Naming.class)).isTrue();
        assertThat(isNamed(Object.class, UNKNOWN, Both.class)).isTrue();
        assertThat(isNamed(Naming.class, UNKNOWN, Everything.class)).isTrue();
    }

    @Test
    void handlerForAllThatSpringWouldChooseInsteadDoesNot() {
        assertThat(isNamed(Object.class, WRAPPED, Both.class)).isFalse();
        assertThat(isNamed(Object.class, UNKNOWN, Everything.class, Naming.class))
                .isFalse();
        assertThat(isNamed(Everything.class, UNKNOWN, Naming.class)).isFalse();
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
