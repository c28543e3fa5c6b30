package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.mariadb.StormAnswer.Kind;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** Callers of each key on all nodes at once while something happens to the nodes, and what came of it. */
final class Storm {

    static final int NODES = 3;

    /** Callers of each node at the end. The same ones of all nodes ask for the same keys in the same order. */
    private static final int ASKERS = 3;

    /**
     * What is stormed.
     *
     * @param keys at least that many; more while something happens
     * @param lanes groups of callers, with a key at a time
     * @param callers in each lane: one that begins at each node, or fewer
     * @param numbers what follows the name of the mode in the keys, which says what the work does
     * @param hops whether each session of a call is on another node than the one before
     * @param wrong what is in front of each store
     */
    record Plan(
            StormMode mode,
            int keys,
            int lanes,
            int callers,
            IntUnaryOperator numbers,
            boolean hops,
            UnaryOperator<IdempotencyStore<Handle>> wrong) {}

    private final NodePools pools;
    private final Plan plan;
    private final StormHistory history = new StormHistory();
    private final StormEffects effects = new StormEffects();
    private final AtomicInteger next = new AtomicInteger();

    Storm(NodePools pools, Plan plan) {
        this.pools = pools;
        this.plan = plan;
    }

    StormMode mode() {
        return plan.mode();
    }

    StormHistory history() {
        return history;
    }

    /** An operation whose sessions begin at that node. */
    StormOperation operation(int node, IntConsumer served) {
        DataSource source = plan.hops() ? pools.oneAfterTheOther(node, served) : pools.startingAt(node, served);
        return operation(source);
    }

    private StormOperation operation(DataSource source) {
        JdbiIdempotencyStore store = JdbiIdempotencyStore.builder(source)
                .dialect(pools.dialect())
                .table(pools.table())
                .build()
                .checkTable();
        return new StormOperation(plan.mode(), plan.wrong().apply(store), effects);
    }

    /** Callers work while the task runs, and go on until there are enough keys. */
    void run(FutureTask<Void> meanwhile, Runnable answered) throws Exception {
        List<FutureTask<Void>> callers = new ArrayList<>();
        for (int lane = 0; lane < plan.lanes(); lane++) {
            callers.addAll(lane(meanwhile, answered));
        }
        callers.forEach(caller -> begin("caller", caller));
        begin("faults", meanwhile);
        for (FutureTask<Void> caller : callers) {
            caller.get();
        }
        meanwhile.get();
    }

    static void begin(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Callers on different nodes. They begin each key together. */
    private List<FutureTask<Void>> lane(FutureTask<Void> meanwhile, Runnable answered) {
        int[] number = new int[1];
        CyclicBarrier together = new CyclicBarrier(
                plan.callers(),
                () -> number[0] = next.get() >= plan.keys() && meanwhile.isDone()
                        ? -1
                        : plan.numbers().applyAsInt(next.getAndIncrement()));
        List<FutureTask<Void>> callers = new ArrayList<>();
        for (int node = 0; node < plan.callers(); node++) {
            StormCaller caller = new StormCaller(this, node);
            callers.add(new FutureTask<>(() -> {
                try {
                    // Each comes back to the barrier when it is answered, so all read a number before there is another.
                    for (together.await(); number[0] >= 0; together.await()) {
                        caller.askUntilAnswered(number[0]);
                        answered.run();
                    }
                    return null;
                } finally {
                    if (number[0] >= 0) {
                        // The others of the lane do not wait for a caller that has failed.
                        together.reset();
                    }
                }
            }));
        }
        return callers;
    }

    /** Asks all nodes for every key at once, past all faults, and returns which promises were broken. */
    List<String> brokenPromises() throws Exception {
        List<String> keys = List.copyOf(history.keys());
        CyclicBarrier together = new CyclicBarrier(NODES * ASKERS);
        List<FutureTask<Map<String, StormAnswer>>> askers = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
            StormOperation operation = operation(pools.startingAt(node, unused -> {}));
            for (int asker = 0; asker < ASKERS; asker++) {
                List<String> its = keys.subList(keys.size() * asker / ASKERS, keys.size() * (asker + 1) / ASKERS);
                askers.add(new FutureTask<>(() -> {
                    together.await();
                    return lastAnswers(operation, its);
                }));
            }
        }
        askers.forEach(asker -> begin("asks at the end", asker));
        List<String> broken = new ArrayList<>();
        Map<String, StormAnswer> last = new HashMap<>();
        for (FutureTask<Map<String, StormAnswer>> asker : askers) {
            asker.get().forEach((key, answer) -> {
                StormAnswer other = last.putIfAbsent(key, answer);
                if (other != null
                        && (answer.kind() != other.kind() || !answer.text().equals(other.text()))) {
                    broken.add(key + ": told on one node " + other + ", on another " + answer);
                }
            });
        }
        assertThat(last).hasSameSizeAs(keys);
        broken.addAll(history.faults(effects.byKey(Jdbi.create(pools.startingAt(0, unused -> {}))), last));
        return broken;
    }

    private Map<String, StormAnswer> lastAnswers(StormOperation operation, List<String> keys) {
        Map<String, StormAnswer> last = new HashMap<>();
        for (String key : keys) {
            int number = Integer.parseInt(key.substring(key.indexOf('-') + 1));
            StormAnswer answer;
            do {
                answer = operation.ask(key, number);
                history.answered(key, answer);
            } while (!answer.isLast() && !(plan.mode().isExternal() && answer.kind() == Kind.IN_PROGRESS));
            last.put(key, answer);
        }
        return last;
    }
}
