package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.servlet.Client.Answer;
import io.counterpoint.idempotency.servlet.Client.Request;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the client sees as a failure of the service, the log explains. */
class FailureLogTest {

    private static final Logger LOGGER = Logger.getLogger(IdempotencyFilter.class.getName());

    private final List<LogRecord> logged = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            logged.add(entry);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    private final AtomicLong nanos = new AtomicLong(7);
    private final FailureLog log = new FailureLog(nanos::get);

    @BeforeEach
    void listen() {
        LOGGER.addHandler(handler);
    }

    @AfterEach
    void stopListening() {
        LOGGER.removeHandler(handler);
    }

    private static IdempotencyException failure(RuntimeException cause) {
        return failure("charge", cause);
    }

    private static IdempotencyException failure(String operation, RuntimeException cause) {
        var charge = Idempotency.on(new InMemoryIdempotencyStore())
                .external(operation, ResultCodec.string(), unresolved -> Lookup.notYet())
                .build();
        try {
            throw new AssertionError(charge.<RuntimeException>execute(
                    Attempt.inScope("user:1").key("k").request("a"), key -> {
                        throw cause;
                    }));
        } catch (IdempotencyException unknown) {
            return unknown;
        }
    }

    @Test
    void failureOfARequestIsLoggedWithItsCause() throws Exception {
        RuntimeException cause = new UnsupportedOperationException("the provider is gone");
        try (TestServer server = new TestServer()
                .filter(IdempotencyFilter.scopedBy(ScopeResolver.anonymous()).build())
                .handle("/", (request, response) -> {
                    throw failure(cause);
                })
                .start()) {
            Answer answer =
                    Client.JDK.send(Request.to(server.uri("/")).key("\"k\"").body("a"));
            assertThat(answer.status()).isEqualTo(503);
        }

        assertThat(logged).singleElement().satisfies(entry -> {
            assertThat(entry.getLevel()).isEqualTo(Level.WARNING);
            assertThat(entry.getMessage()).startsWith("Answered 503: charge#").contains("external call failed");
            assertThat(entry.getThrown()).hasToString(cause.toString());
            assertThat(entry.getThrown().getStackTrace()).isEqualTo(cause.getStackTrace());
        });
    }

    @Test
    void eachCauseIsLoggedOnceAMinuteWithTheNumberOfOthers() {
        for (int times = 0; times < 4; times++) {
            log.answered(failure(new IllegalArgumentException("number " + times)), 503);
        }
        log.answered(failure(new ArithmeticException("another cause")), 503);
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        log.answered(failure(new IllegalArgumentException("number 4")), 503);

        assertThat(logged).hasSize(3);
        assertThat(logged.get(2).getMessage())
                .startsWith("Answered 503, and 3 more times since this was last logged: ");
    }

    @Test
    void causeOfEachOperationIsLogged() {
        log.answered(failure("charge", new IllegalStateException("gateway is gone")), 503);
        log.answered(failure("refund", new IllegalStateException("its state is wrong")), 503);

        assertThat(logged).hasSize(2);
    }

    @Test
    void whatADatabaseSaysOfItsValuesIsNotLogged() {
        SQLException sql = new SQLException("Key (key_value)=(secret) exists", "23505", 7);
        log.answered(failure(new IllegalStateException("wrapped: " + sql.getMessage(), sql)), 503);

        Throwable thrown = logged.get(0).getThrown();
        assertThat(thrown).hasToString("java.lang.IllegalStateException");
        assertThat(thrown.getCause()).hasToString("java.sql.SQLException, SQLSTATE 23505, code 7");
        assertThat(logged.get(0).getMessage()).doesNotContain("secret");
    }

    @Test
    void whatTheClientHasCausedIsNotLogged() {
        log.answered(failure(new IllegalArgumentException("refused")), 409);

        assertThat(logged).isEmpty();
    }
}
