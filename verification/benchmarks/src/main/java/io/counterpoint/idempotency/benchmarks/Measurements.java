package io.counterpoint.idempotency.benchmarks;

import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/** The samples of some variants, one per round, in the order of the rounds. */
record Measurements(Map<String, List<Sample>> samples) {

    List<Sample> of(String variant) {
        List<Sample> found = samples.get(variant);
        if (found == null) {
            throw new IllegalArgumentException("nothing was measured of " + variant + ", only " + samples.keySet());
        }
        return found;
    }

    Quartiles of(String variant, ToDoubleFunction<Sample> figure) {
        return Quartiles.of(of(variant).stream().map(figure::applyAsDouble).toList());
    }

    /**
     * The throughput of one variant divided by that of another in the same round, so that disturbances of both cancel
     * out.
     */
    Quartiles ratio(String variant, String to) {
        return Quartiles.of(ratios(variant, to));
    }

    /** The ratio of two variants divided by that of two others in the same round. */
    Quartiles ratioOfRatios(String above, String toThis, String below, String toThat) {
        return Quartiles.of(quotients(ratios(above, toThis), ratios(below, toThat)));
    }

    private List<Double> ratios(String variant, String to) {
        return quotients(rates(variant), rates(to));
    }

    private List<Double> rates(String variant) {
        return of(variant).stream().map(Sample::perSecond).toList();
    }

    /** One quotient per round. */
    static List<Double> quotients(List<Double> above, List<Double> below) {
        return IntStream.range(0, above.size())
                .mapToObj(round -> above.get(round) / below.get(round))
                .toList();
    }
}
