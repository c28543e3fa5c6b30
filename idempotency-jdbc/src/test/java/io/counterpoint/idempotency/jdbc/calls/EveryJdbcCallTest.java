package io.counterpoint.idempotency.jdbc.calls;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.jdbc.calls.TestedDatabase.Kind;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A driver fails at any one of its calls, in any scenario, and every answer stays true. The ordinary build selects
 * cases; the profile {@code jdbc-calls} runs ten times as many.
 */
@Timeout(3600)
class EveryJdbcCallTest {

    private static final int SHARE = Integer.getInteger("idempotency.jdbc-calls.share", 300);

    private static final List<Made> KINDS = List.of(MadeByJdbc.values());

    private final Census census = new Census(KINDS);

    @Test
    void aFailingCallNeverLeadsToAFalseStatement() throws Exception {
        long start = System.nanoTime();
        List<Enumeration> enumerations = Stream.of(Kind.values())
                .flatMap(kind -> Stream.of(true, false)
                        .map(autoCommit -> new Enumeration(KINDS, kind, autoCommit, new Selection(SHARE), census)))
                .toList();
        ExecutorService threads = Executors.newFixedThreadPool(enumerations.size());
        try {
            List<Future<?>> runs = enumerations.stream()
                    .<Future<?>>map(enumeration -> threads.submit(() -> {
                        enumeration.run();
                        return enumeration;
                    }))
                    .toList();
            for (Future<?> run : runs) {
                run.get();
            }
        } finally {
            threads.shutdownNow();
        }
        System.out.printf(
                "%s%d cases in %d s%n", census.table(), census.cases(), (System.nanoTime() - start) / 1_000_000_000);
        assertThat(census.cases()).isGreaterThan(5_000);
        assertThat(census.pairsMissed()).isEmpty();
        assertThat(census.failures(3)).isEmpty();
    }
}
