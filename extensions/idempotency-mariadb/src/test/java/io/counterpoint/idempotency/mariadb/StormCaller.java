package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.mariadb.StormAnswer.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One caller, with stores of its own. It begins at one node, and goes on at the next while it has no answer. */
final class StormCaller {

    private static final long SECONDS_FOR_AN_ANSWER = 180;

    /** An effect outside of the cluster may be missing for good, and no call can prove it. */
    private static final int ANSWERS_THAT_IT_IS_IN_PROGRESS = 3;

    private final Storm storm;
    private final List<StormOperation> operations = new ArrayList<>();
    private volatile String key = "";

    StormCaller(Storm storm, int first) {
        this.storm = storm;
        for (int i = 0; i < Storm.NODES; i++) {
            operations.add(storm.operation(
                    (first + i) % Storm.NODES, node -> storm.history().served(key, node)));
        }
    }

    void askUntilAnswered(int number) {
        key = storm.mode() + "-" + number;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_FOR_AN_ANSWER);
        int inProgress = 0;
        for (int i = 0; ; i++) {
            StormAnswer answer = operations.get(i % Storm.NODES).ask(key, number);
            storm.history().answered(key, answer);
            inProgress = answer.kind() == Kind.IN_PROGRESS ? inProgress + 1 : 0;
            if (answer.isLast() || (storm.mode().isExternal() && inProgress == ANSWERS_THAT_IT_IS_IN_PROGRESS)) {
                return;
            }
            assertThat(System.nanoTime())
                    .as("%s is not answered: %s", key, answer)
                    .isLessThan(deadline);
        }
    }
}
