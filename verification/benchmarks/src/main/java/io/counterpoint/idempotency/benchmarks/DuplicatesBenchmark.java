package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.Operation.Protocol;
import io.counterpoint.idempotency.benchmarks.Variant.Action;
import io.counterpoint.idempotency.benchmarks.Variant.Answer;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.testing.DelayingProxy;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import picocli.CommandLine.Command;

/** Short work whose keys are called several times at once, by one process and by two. */
@Command(
        name = "duplicates",
        header = "Duplicates at the same time",
        description =
                "short work without duplicates, with one key in five called twice at once, and with 64 calls of each"
                        + " key at once; by one process and by two, local and with a server that is 0.5 ms away, each way")
final class DuplicatesBenchmark extends Benchmark {

    private static final String TURNS = Variants.RECORD_LAST + Variants.TURNS;
    private static final String SINGLE = Variants.SINGLE;
    private static final Duration AT_ONCE = Duration.ofMillis(1);
    private static final int ONE_IN = 5;
    private static final int STORM = 64;

    private final ExecutorService duplicates = Executors.newCachedThreadPool(run -> {
        Thread thread = new Thread(run, "duplicate");
        thread.setDaemon(true);
        return thread;
    });

    @Override
    String measure(BenchmarkOptions chosen, Findings found) throws Exception {
        try (PostgresServer server = Machine.startServer()) {
            String machine = measure(chosen, found, ChooseBenchmark.LOCAL, server.createDatabase("lock_timeout=2s"));
            try (DelayingProxy proxy =
                    DelayingProxy.inFrontOf(server.createDatabase("lock_timeout=2s"), ChooseBenchmark.EACH_WAY)) {
                String unused = measure(chosen, found, ChooseBenchmark.NETWORK, proxy.jdbcUrl());
            }
            return machine;
        }
    }

    private String measure(BenchmarkOptions chosen, Findings found, String place, String url) throws Exception {
        int threads = LeaderBenchmark.RANKED_BY;
        try (BenchmarkDatabase database = BenchmarkDatabase.open(url, 2 * threads);
                BenchmarkDatabase another = BenchmarkDatabase.open(url, 2 * threads);
                Variants variants = new Variants(database)) {
            Rounds rounds = new Rounds(chosen, threads, Meters.of(database));
            Process one = new Process(database);
            List<Variant> alone = new ArrayList<>(List.of(variants.unprotected()));
            alone.addAll(protocols("alone", one, one, (call, unused) -> call));
            Comparison without = rounds.compare("No duplicates, " + place, Variants.UNPROTECTED, alone);
            found.add(without);
            found.atLeast(0.75, without, TURNS, Variants.UNPROTECTED);
            for (Process other : List.of(one, new Process(another))) {
                String who = (other == one ? "by one process, " : "by two processes, ") + place;
                Comparison twice = rounds.warm()
                        .compare(
                                "One key in five twice at once, " + who,
                                SINGLE,
                                protocols("twice", one, other, this::twiceNowAndThen));
                found.add(twice);
                if (other != one) {
                    found.atLeast(1.2, twice, TURNS, SINGLE);
                }
                found.add(new Rounds(chosen, 1, Meters.of(database))
                        .warm()
                        .compare(
                                STORM + " calls of each key at once, " + who,
                                SINGLE,
                                protocols("storm", one, other, this::storm)));
            }
            return Machine.description(database);
        }
    }

    /** The resources of one process: a pool, turns in memory, and a memory of keys. */
    private static final class Process {
        private final LibraryVariant plain;
        private final LibraryVariant turns;

        Process(BenchmarkDatabase database) {
            JdbcIdempotencyStore store = JdbcIdempotencyStore.builder(database.pool())
                    .table("public.idempotency_record")
                    .build()
                    .createTableIfMissing();
            this.plain = new LibraryVariant(store);
            this.turns = new LibraryVariant(
                    store.toBuilder().turnAcrossProcesses(true).build());
        }
    }

    /** Each protocol with keys that are called by two processes, or by the same process twice. */
    private static List<Variant> protocols(String name, Process one, Process other, BinaryOperator<Action> called) {
        record Protocolled(String text, Function<Process, Action> of) {}
        return List.of(
                        new Protocolled(
                                Variants.RECORD_LAST,
                                process -> process.plain.unplanned(name + "-last", Protocol.RECORD_LAST)),
                        new Protocolled(TURNS, process -> atOnce(process, name + "-turns")),
                        new Protocolled(
                                TURNS + ", duplicates wait",
                                process -> process.turns.unplanned(name + "-patient", Protocol.RECORD_LAST)),
                        new Protocolled(
                                SINGLE,
                                process -> process.plain.unplanned(name + "-single", Protocol.SINGLE_TRANSACTION)),
                        new Protocolled(Variants.CLAIM_FIRST, process -> process.plain.unplanned(name + "-first")))
                .stream()
                .map(each -> new Variant(each.text, called.apply(each.of.apply(one), each.of.apply(other))))
                .toList();
    }

    private static Action atOnce(Process process, String name) {
        return LibraryVariant.unplanned(
                process.turns
                        .operation(name)
                        .protocol(Protocol.RECORD_LAST)
                        .waitAtMost(AT_ONCE)
                        .build(),
                LibraryVariant::attempt);
    }

    private Action twiceNowAndThen(Action one, Action other) {
        AtomicInteger keys = new AtomicInteger();
        return key -> keys.incrementAndGet() % ONE_IN == 0 ? atOnce(key, List.of(other, one)) : one.call(key);
    }

    private Action storm(Action one, Action other) {
        List<Action> all = new ArrayList<>();
        for (int i = 0; i < STORM / 2; i++) {
            all.addAll(List.of(one, other));
        }
        return key -> atOnce(key, all);
    }

    /** Concurrent calls. One of them has the effect, and the key counts as one call when all have returned. */
    private Answer atOnce(String key, List<Action> calls) throws Exception {
        List<Future<Answer>> others = new ArrayList<>();
        for (Action call : calls.subList(1, calls.size())) {
            others.add(duplicates.submit(() -> call.call(key)));
        }
        int executed = calls.get(0).call(key) == Answer.EXECUTED ? 1 : 0;
        for (Future<Answer> other : others) {
            executed += other.get() == Answer.EXECUTED ? 1 : 0;
        }
        HandWrittenSql.require(executed == 1, executed + " of " + calls.size() + " calls of one key were executed");
        return Answer.EXECUTED;
    }
}
