package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.Variant.Answer;
import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Rounds in which every variant has its turn, in an order that changes: what slows the machine down for a while slows
 * all of them, and a ratio within one round stays what it is. The first rounds warm up and do not count. They end when
 * the compiler has come to rest: until then it takes the processor from the variants with the most code.
 */
final class Rounds {

    private static final int WARM_UPS = 8;
    private static final int MOST_WARM_UPS = 40;

    /** The share of a round's time that the compiler may still take, over the latest rounds. */
    private static final double COMPILING = 0.03;

    private static final int LATEST = 4;

    /** Where the same variants were measured before, in the same process. */
    private static final int WARM_UPS_OF_WARM = 3;

    private final String title;
    private final Callers callers;
    private final int rounds;
    private final double seconds;
    private final Meters meters;
    private boolean warm;

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

    /** For variants that have been measured before, in this process. */
    Rounds warm(boolean before) {
        warm = before;
        return this;
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

    /** Measures variants that create a group under a fresh key, beside others that replay. */
    Measurements mixed(List<Variant> variants, Supplier<String> known)
            throws SQLException, IOException, InterruptedException {
        return run(
                variants,
                variant -> variant.isReplay() ? known : Keys::fresh,
                variant -> variant.isReplay() ? Answer.REPLAYED : Answer.EXECUTED);
    }

    Measurements run(List<Variant> variants, Function<Variant, Supplier<String>> keys, Answer expected)
            throws SQLException, IOException, InterruptedException {
        return run(variants, keys, variant -> expected);
    }

    private Measurements run(
            List<Variant> variants, Function<Variant, Supplier<String>> keys, Function<Variant, Answer> expected)
            throws SQLException, IOException, InterruptedException {
        Map<String, List<Sample>> samples = new LinkedHashMap<>();
        variants.forEach(variant -> samples.put(variant.name(), new ArrayList<>()));
        List<Variant> order = new ArrayList<>(variants);
        Random random = new Random(1);
        Compiler compiler = new Compiler();
        int warmUps = warm ? WARM_UPS_OF_WARM : WARM_UPS;
        for (int round = 1; round <= warmUps || (!compiler.isAtRest() && round <= MOST_WARM_UPS); round++) {
            Progress.say(title + ": warming up");
            for (Variant variant : order) {
                var unused = measure(variant, keys.apply(variant), expected.apply(variant));
            }
            compiler.roundHasEnded();
        }
        for (int round = 1; round <= rounds; round++) {
            Progress.say(title + ": round " + round + " of " + rounds);
            Collections.shuffle(order, random);
            for (Variant variant : order) {
                samples.getOrDefault(variant.name(), new ArrayList<>())
                        .add(measure(variant, keys.apply(variant), expected.apply(variant)));
            }
        }
        return new Measurements(samples);
    }

    /** What the compiler of this process has done in the latest rounds. */
    private static final class Compiler {
        private final CompilationMXBean bean = ManagementFactory.getCompilationMXBean();
        private final Deque<Double> shares = new ArrayDeque<>();
        private long compiled = bean.getTotalCompilationTime();
        private long ended = System.nanoTime();

        void roundHasEnded() {
            long nowCompiled = bean.getTotalCompilationTime();
            long nowEnded = System.nanoTime();
            shares.addLast((nowCompiled - compiled) * 1e6 / (nowEnded - ended));
            if (shares.size() > LATEST) {
                shares.removeFirst();
            }
            compiled = nowCompiled;
            ended = nowEnded;
        }

        boolean isAtRest() {
            return shares.stream().mapToDouble(share -> share).average().orElse(1) < COMPILING;
        }
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
