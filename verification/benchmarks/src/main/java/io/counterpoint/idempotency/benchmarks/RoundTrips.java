package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.testing.CuttingProxy;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Counts round trips in a proxy, for one caller, after another call has prepared everything. */
final class RoundTrips {

    private static final int CALLS = 20;

    private RoundTrips() {}

    /** Round trips of a call, by the variant's name. They include a variant's background work. */
    static Map<String, Double> count(String jdbcUrl, Function<Variants, List<Variant>> chosen) throws Exception {
        Map<String, Double> counts = new LinkedHashMap<>();
        try (CuttingProxy proxy = CuttingProxy.inFrontOf(jdbcUrl);
                BenchmarkDatabase database = BenchmarkDatabase.open(proxy.jdbcUrl(), 2);
                Variants variants = new Variants(database)) {
            for (Variant variant : chosen.apply(variants)) {
                BenchmarkProgress.say("counting round trips: " + variant.name());
                call(variant);
                proxy.resetCounts();
                call(variant);
                counts.put(variant.name(), proxy.roundTrips() / (double) CALLS);
            }
        }
        return counts;
    }

    private static void call(Variant variant) throws Exception {
        for (int i = 0; i < CALLS; i++) {
            variant.action().call(variant.keys().get());
        }
    }
}
