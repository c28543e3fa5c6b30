package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.mariadb.GaleraMode.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Handle;

/** One caller, with stores of its own. It begins at one node, and goes on at the next while it has no answer. */
final class GaleraCaller {

    private static final int NODES = 3;
    private static final long SECONDS_FOR_AN_ANSWER = 180;

    private final GaleraMode mode;
    private final GaleraHistory history;
    private final List<Operation<Handle, String>> operations = new ArrayList<>();
    private volatile String key = "";

    GaleraCaller(GaleraMode mode, GaleraPools pools, int first, GaleraHistory history) {
        this.mode = mode;
        this.history = history;
        for (int i = 0; i < NODES; i++) {
            operations.add(mode.operation(JdbiIdempotencyStore.of(
                            pools.startingAt((first + i) % NODES, node -> history.served(key, node)),
                            MariaDbDialect.galera())
                    .checkTable()));
        }
    }

    void askUntilAnswered(int number) {
        key = mode + "-" + number;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_FOR_AN_ANSWER);
        for (int i = 0; ; i++) {
            Answer answer = mode.ask(operations.get(i % NODES), key, number);
            history.answered(key, answer);
            if (answer.isLast()) {
                return;
            }
            assertThat(System.nanoTime())
                    .as("%s is not answered: %s", key, answer)
                    .isLessThan(deadline);
        }
    }
}
