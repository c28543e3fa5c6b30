package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.Variant.Answer;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Rounds in which every variant has its turn, in an order that changes: what slows the machine down for a while slows
 * all of them, and a ratio within one round stays what it is. The first rounds warm up and do not count: the compiler
 * takes seconds to settle, and longer the more code there is.
 */
final class Rounds {

    private static final int WARM_UPS = 8;

    /** Where smaller numbers of callers were measured before, in the same process. */
    private static final int WARM_UPS_OF_MANY = 3;

    private final String title;
    private final Callers callers;
    private final int rounds;
    private final double seconds;
    private final Meters meters;

    Rounds(String title, int threads, int rounds, double seconds, Meters meters) {
        this(title, Callers.threads(threads), rounds, seconds, meters);
    }

    Rounds(String title, Callers callers, int rounds, double seconds, Meters meters) {
        this.title = title;
        this.callers = callers;
        this.rounds = rounds;
        this.seconds = seconds;
        this.meters = meters;
    }

    /** Measures variants that create a group under a fresh key each time. */
    Measurements lead(List<Variant> variants) throws SQLException, IOException, InterruptedException {
        return run(variants, variant -> Keys::fresh, Answer.EXECUTED);
    }

    /** Measures variants that answer from a record. */
    Measurements replay(List<Variant> variants, Supplier<String> keys)
            throws SQLException, IOException, InterruptedException {
        return run(variants, variant -> keys, Answer.REPLAYED);
    }

    Measurements run(List<Variant> variants, Function<Variant, Supplier<String>> keys, Answer expected)
            throws SQLException, IOException, InterruptedException {
        Map<String, List<Sample>> samples = new LinkedHashMap<>();
        variants.forEach(variant -> samples.put(variant.name(), new ArrayList<>()));
        List<Variant> order = new ArrayList<>(variants);
        Random random = new Random(1);
        for (int round = 1 - (callers.virtual() ? WARM_UPS_OF_MANY : WARM_UPS); round <= rounds; round++) {
            Progress.say(title + (round < 1 ? ": warming up" : ": round " + round + " of " + rounds));
            Collections.shuffle(order, random);
            for (Variant variant : order) {
                Sample sample = measure(variant, keys.apply(variant), expected);
                if (round > 0) {
                    samples.getOrDefault(variant.name(), new ArrayList<>()).add(sample);
                }
            }
        }
        return new Measurements(samples);
    }

    private Sample measure(Variant variant, Supplier<String> keys, Answer expected)
            throws SQLException, IOException, InterruptedException {
        try (Meters.Turn turn = meters.begin()) {
            long start = System.nanoTime();
            try (Load load = Load.start(variant, callers, keys, expected)) {
                Thread.sleep((long) (seconds * 1000));
                load.stop();
                double took = (System.nanoTime() - start) / 1e9;
                return new Sample(
                        load.calls(), took, turn.costOfEachOf(load.calls()), load.micros(50), load.micros(99));
            }
        }
    }
}
