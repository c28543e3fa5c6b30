package io.counterpoint.idempotency.benchmarks;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/** The samples of some variants, one for each round, in the order of the rounds. */
record Measurements(Map<String, List<Sample>> samples) {

    Measurements {
        samples = Collections.unmodifiableMap(new LinkedHashMap<>(samples));
    }

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

    Quartiles perSecond(String variant) {
        return of(variant, Sample::perSecond);
    }

    /** The throughput of one variant by that of another in the same round, so that what disturbs both cancels out. */
    Quartiles ratio(String variant, String to) {
        return Quartiles.of(ratios(variant, to));
    }

    /** The ratio of two variants by that of two others in the same round. */
    Quartiles ratioOfRatios(String above, String toThis, String below, String toThat) {
        List<Double> dividends = ratios(above, toThis);
        List<Double> divisors = ratios(below, toThat);
        return Quartiles.of(IntStream.range(0, dividends.size())
                .mapToObj(round -> dividends.get(round) / divisors.get(round))
                .toList());
    }

    /** One for each round. */
    private List<Double> ratios(String variant, String to) {
        List<Sample> above = of(variant);
        List<Sample> below = of(to);
        return IntStream.range(0, above.size())
                .mapToObj(
                        round -> above.get(round).perSecond() / below.get(round).perSecond())
                .toList();
    }
}
