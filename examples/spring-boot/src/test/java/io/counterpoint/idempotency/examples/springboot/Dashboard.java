package io.counterpoint.idempotency.examples.springboot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.micrometer.PendingRecords;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.springframework.context.ConfigurableApplicationContext;

/** Checks the Grafana dashboard against the metrics that a running application exposes. */
final class Dashboard {

    private static final Attempt ATTEMPT =
            Attempt.inScope("user:dashboard").key("k").withoutRequest();

    private Dashboard() {}

    /** Provokes a concurrent duplicate, a failure, and a record that is pending while it is counted. */
    static void provokeWhatIsRare(ConfigurableApplicationContext application) {
        Idempotency<?> idempotency = application.getBean(Idempotency.class);
        Operation<?, String> operation =
                idempotency.operation("of-the-dashboard", ResultCodec.string()).build();
        assertThatThrownBy(() -> lead(operation, application.getBean(PendingRecords.class)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the work fails");
    }

    private static <C> void lead(Operation<C, String> operation, PendingRecords pending) {
        Outcome<String> unused = operation.execute(ATTEMPT, handle -> {
            Outcome<String> beside = CompletableFuture.supplyAsync(
                            () -> operation.execute(ATTEMPT, other -> "a second effect"))
                    .join();
            assertThat(beside).isInstanceOf(Outcome.InProgress.class);
            try {
                pending.refresh();
            } catch (SQLException thrown) {
                throw new AssertionError(thrown);
            }
            throw new IllegalStateException("the work fails");
        });
    }

    /** Fails unless the scrape contains every metric that the dashboard queries. */
    static void requireMetrics(String scrape) {
        Set<String> metrics = new TreeSet<>();
        Pattern.compile("idempotency_\\w+").matcher(dashboard()).results().forEach(found -> metrics.add(found.group()));
        assertThat(metrics).hasSizeGreaterThan(8);
        assertThat(metrics).allSatisfy(metric -> assertThat(scrape).containsPattern("(?m)^" + metric + "[ {]"));
    }

    private static String dashboard() {
        try (InputStream in = PendingRecords.class.getResourceAsStream("/grafana/idempotency-dashboard.json")) {
            assertThat(in).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException thrown) {
            throw new UncheckedIOException(thrown);
        }
    }
}
