package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.servlet.Client.Request;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever the function does that finds the principal of a request, nothing is handled for a caller that is not known. */
class ScopeCallbackTest {

    enum Deed {
        NULL,
        NOBODY,
        EXCEPTION,
        ERROR,
        INTERRUPT,
        NESTED_CALL
    }

    @SuppressWarnings("NullableOptional") // What a resolver must not return.
    private static @Nullable Optional<String> scope(Deed deed) {
        return switch (deed) {
            case NULL -> null;
            case NOBODY -> Optional.empty();
            case EXCEPTION -> throw new IllegalStateException("no directory");
            case ERROR -> throw new AssertionError("no directory");
            case INTERRUPT -> throw ScopeCallbackTest.<RuntimeException>unchanged(new InterruptedException());
            case NESTED_CALL -> {
                Outcome<Done> unused = Idempotency.on(new InMemoryIdempotencyStore())
                        .operation("nested")
                        .build()
                        .execute(Attempt.inScope("user:1").key("nested").withoutRequest(), handle -> Done.DONE);
                yield Optional.of("user:1");
            }
        };
    }

    @SuppressWarnings("unchecked")
    private static <X extends Throwable> RuntimeException unchanged(Throwable thrown) throws X {
        throw (X) thrown;
    }

    @ParameterizedTest
    @CsvSource({"NULL, 500", "NOBODY, 401", "EXCEPTION, 500", "ERROR, 500", "INTERRUPT, 500", "NESTED_CALL, 200"})
    void requestIsHandledForAKnownCallerOnly(Deed deed, int status) throws Exception {
        AtomicInteger handled = new AtomicInteger();
        IdempotencyFilter filter =
                IdempotencyFilter.scopedBy(request -> scope(deed)).build();
        Client client = Client.present().get(0);
        try (TestServer server = new TestServer()
                .filter(filter)
                .handle("/*", (request, response) -> handled.incrementAndGet())
                .start()) {
            assertThat(client.send(Request.to(server.uri("/")).key("k")).status())
                    .isEqualTo(status);
        }
        assertThat(handled).hasValue(status == 200 ? 1 : 0);
    }
}
