package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.Findings.Table;
import io.counterpoint.idempotency.benchmarks.Findings.Worst;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import picocli.CommandLine.Command;

/**
 * The instructions that the server executes for a call. They do not depend on the machine's load, and hardly on the
 * machine.
 */
@Command(
        name = "instructions",
        header = "Instructions of the server",
        description = "thousand instructions of PostgreSQL for a call, counted by valgrind, which has to be installed")
final class InstructionsBenchmark extends Benchmark {

    /**
     * The difference between two processes is due to their calls. The first calls, whose statements are parsed, are in
     * both.
     */
    private static final int FEW = 40;

    private static final int MANY = 240;
    private static final int REPEATS = 5;
    private static final String REPLAY = "replay";

    /** The maximum number of instructions, in thousands; the work alone takes about 147. */
    private static final Map<String, Integer> BOUNDS = bounds();

    private static Map<String, Integer> bounds() {
        Map<String, Integer> bounds = new LinkedHashMap<>();
        bounds.put(Variants.UNPROTECTED, 0);
        bounds.put(UniqueColumn.BY_HAND, 0);
        bounds.put(Variants.RECORD_LAST, 268);
        bounds.put(Variants.RECORD_LAST + Variants.TURNS, 287);
        bounds.put(Variants.SPRING, 0);
        bounds.put(Variants.SINGLE_PLANNED, 330);
        bounds.put(Variants.SINGLE_PLANNED + Variants.BY_SESSION, 306);
        bounds.put(Variants.SINGLE, 442);
        bounds.put(Variants.SINGLE + Variants.BY_SESSION, 423);
        bounds.put(Variants.CLAIM_FIRST, 573);
        bounds.put(Variants.EXTERNAL, 0);
        bounds.put(Variants.FOLLOW_UP, 0);
        bounds.put(REPLAY, 78);
        return bounds;
    }

    @Override
    String measure(BenchmarkOptions chosen, Findings found) throws Exception {
        List<List<String>> rows = new ArrayList<>();
        String machine;
        try (Callgrind counted =
                Callgrind.start("fsync=on", "autovacuum=off", "checkpoint_timeout=1h", "max_wal_size=4GB")) {
            String url = counted.server().createDatabase("lock_timeout=2s");
            try (BenchmarkDatabase database = BenchmarkDatabase.open(url, 2)) {
                machine = Machine.description(database);
                // Creates the tables.
                new Variants(database).close();
            }
            for (Map.Entry<String, Integer> bound : BOUNDS.entrySet()) {
                String name = bound.getKey();
                BenchmarkProgress.say("instructions: " + name);
                double unusedFirst = total(counted, url, name, FEW);
                List<Double> thousands = new ArrayList<>();
                for (int repeat = 0; repeat < (chosen.quick() ? 1 : REPEATS); repeat++) {
                    double few = total(counted, url, name, FEW);
                    thousands.add((total(counted, url, name, MANY) - few) / (MANY - FEW) / 1_000);
                }
                Quartiles thousand = Quartiles.of(thousands);
                rows.add(List.of(name, thousand.text(0)));
                found.add("Instructions", name, "thousand", thousand);
                if (bound.getValue() > 0) {
                    found.atMost(bound.getValue(), "thousand", name, thousand);
                }
            }
        }
        found.tables()
                .add(new Table(
                        "Thousand instructions of one backend for a call",
                        List.of("call", "thousand instructions"),
                        rows,
                        List.of("User mode, counted by valgrind's callgrind; the difference of " + MANY + " and " + FEW
                                + " calls, on a connection each, in empty tables."),
                        Worst.more(1)));
        return machine;
    }

    /** All instructions of a backend that serves a number of calls, with a new driver and store and empty tables. */
    private static double total(Callgrind counted, String url, String name, int calls) throws Exception {
        int process;
        try (BenchmarkDatabase database = BenchmarkDatabase.open(url, 1)) {
            database.execute("TRUNCATE idempotency_record, chat_group, group_member, conversation, keyed_group");
        }
        try (BenchmarkDatabase database = BenchmarkDatabase.open(url, 1)) {
            process = Integer.parseInt(database.text("SELECT pg_backend_pid()"));
            Variant.Action action = action(name, database);
            String one = UUID.randomUUID().toString();
            for (int call = 0; call < calls; call++) {
                Variant.Answer unused = action.call(
                        name.equals(REPLAY) ? one : UUID.randomUUID().toString());
            }
        }
        return counted.totalOf(process);
    }

    private static Variant.Action action(String name, BenchmarkDatabase database) {
        String leader = name.equals(REPLAY) ? Variants.CLAIM_FIRST : name;
        return new Variants(database)
                .counted().stream()
                        .filter(variant -> variant.name().equals(leader))
                        .findFirst()
                        .orElseThrow()
                        .action();
    }
}
