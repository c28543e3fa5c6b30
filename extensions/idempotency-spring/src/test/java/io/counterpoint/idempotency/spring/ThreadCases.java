package io.counterpoint.idempotency.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Callers on threads of each kind that this Java has. */
abstract class ThreadCases extends JoinedCases {

    private static final int CALLERS = 32;

    static Stream<String> kinds() {
        return Runtime.version().feature() < 21
                ? Stream.of("newCachedThreadPool")
                : Stream.of("newCachedThreadPool", "newVirtualThreadPerTaskExecutor");
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void callersJoinTransactionsOfTheirOwn(String executor) throws Exception {
        ExecutorService threads =
                (ExecutorService) Executors.class.getMethod(executor).invoke(null);
        try {
            List<Future<?>> calls = new ArrayList<>();
            for (int caller = 0; caller < CALLERS; caller++) {
                int number = caller;
                calls.add(threads.submit(() -> call(id + "-" + number, number % 2 == 0)));
            }
            for (Future<?> call : calls) {
                call.get(60, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(application()
                        .database
                        .jdbc()
                        .queryForList("SELECT id FROM account WHERE id LIKE ? ORDER BY id", String.class, id + "-%"))
                .containsExactlyInAnyOrderElementsOf(IntStream.range(0, CALLERS)
                        .filter(number -> number % 2 == 0)
                        .mapToObj(number -> id + "-" + number)
                        .toList());
    }

    /** Opens an account, and keeps it or fails. */
    private void call(String account, boolean succeeds) {
        if (succeeds) {
            assertThat(operation(Protocol.CLAIM_FIRST).execute(attempt(account), connection -> {
                        accounts.open(account);
                        return "opened";
                    }))
                    .isInstanceOf(Outcome.Executed.class);
        } else {
            IllegalArgumentException refused = new IllegalArgumentException("refused");
            assertThatThrownBy(() -> operation(Protocol.CLAIM_FIRST).execute(attempt(account), connection -> {
                        accounts.open(account);
                        throw refused;
                    }))
                    .isSameAs(refused);
        }
    }
}
