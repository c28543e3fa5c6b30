package io.counterpoint.idempotency.benchmarks;

import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Measures in rounds. In each round every variant has a turn, in a changing order, so a temporary slowdown affects all
 * of them and the ratios within a round remain valid. JMH measures one variant after another, so it is used only for
 * figures that are not compared. The first rounds are a warm-up, which ends when the JIT compiler has become idle:
 * until then it takes processor time from the variants with the most code.
 *
 * @param warmUps the minimum number of warm-up rounds
 */
record Rounds(Callers callers, int warmUps, int rounds, double seconds, Meters meters) {

    private static final int MOST_WARM_UPS = 40;
    private static final int WARM_UPS = 8;

    /** The maximum share of a round's time that the compiler may take. */
    private static final double COMPILING = 0.03;

    Rounds(BenchmarkOptions chosen, Callers callers, Meters meters) {
        this(callers, WARM_UPS, chosen.rounds(), chosen.seconds(), meters);
    }

    Rounds(BenchmarkOptions chosen, int threads, Meters meters) {
        this(chosen, Callers.threads(threads), meters);
    }

    /** For variants that have already been measured in this process. */
    Rounds warm() {
        return new Rounds(callers, 3, rounds, seconds, meters);
    }

    /** Makes turns last at least this many seconds. */
    Rounds atLeast(double least) {
        return new Rounds(callers, warmUps, rounds, Math.max(seconds, least), meters);
    }

    /** Compares variants with one of them, under a title that begins with {@code what}. */
    Comparison compare(String what, String base, List<Variant> variants)
            throws SQLException, IOException, InterruptedException {
        String title = what + ", " + callers + ", pool of " + meters.connections();
        return new Comparison(title, base, variants, measure(title, variants), Map.of());
    }

    Measurements measure(String title, List<Variant> variants) throws SQLException, IOException, InterruptedException {
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        boolean atRest = false;
        for (int round = 1; round <= warmUps || (!atRest && round <= MOST_WARM_UPS); round++) {
            BenchmarkProgress.say(title + ": warming up");
            long compiled = compiler.getTotalCompilationTime();
            long start = System.nanoTime();
            for (Variant variant : variants) {
                Sample unused = measure(variant);
            }
            atRest = (compiler.getTotalCompilationTime() - compiled) * 1e6 < COMPILING * (System.nanoTime() - start);
        }
        Map<String, List<Sample>> samples = new LinkedHashMap<>();
        variants.forEach(variant -> samples.put(variant.name(), new ArrayList<>()));
        List<Variant> order = new ArrayList<>(variants);
        Random random = new Random(1);
        for (int round = 1; round <= rounds; round++) {
            BenchmarkProgress.say(title + ": round " + round + " of " + rounds);
            Collections.shuffle(order, random);
            for (Variant variant : order) {
                samples.getOrDefault(variant.name(), new ArrayList<>()).add(measure(variant));
            }
        }
        return new Measurements(samples);
    }

    private Sample measure(Variant variant) throws SQLException, IOException, InterruptedException {
        Meters.Turn turn = meters.begin();
        long start = System.nanoTime();
        try (Load load = new Load(variant, callers)) {
            Thread.sleep((long) (seconds * 1000));
            load.stop();
            double took = (System.nanoTime() - start) / 1e9;
            return new Sample(load.calls() / took, turn.costOfEachOf(load.calls()), load.micros(50), load.micros(99));
        }
    }
}
