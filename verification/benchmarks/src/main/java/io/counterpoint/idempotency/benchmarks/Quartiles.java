package io.counterpoint.idempotency.benchmarks;

import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** The median of some measurements, and their lower and upper quartiles. NaN if nothing was measured. */
record Quartiles(double lower, double median, double upper) {

    static Quartiles of(Collection<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        return new Quartiles(at(sorted, 0.25), at(sorted, 0.5), at(sorted, 0.75));
    }

    /** Interpolates linearly between two neighbours, as most tools do. */
    static double at(List<Double> sorted, double share) {
        if (sorted.isEmpty() || sorted.get(sorted.size() - 1).isNaN()) {
            return Double.NaN;
        }
        double place = share * (sorted.size() - 1);
        int below = (int) place;
        int above = Math.min(below + 1, sorted.size() - 1);
        return sorted.get(below) + (place - below) * (sorted.get(above) - sorted.get(below));
    }

    /** Converts to another unit. */
    Quartiles by(double factor) {
        return new Quartiles(lower * factor, median * factor, upper * factor);
    }

    boolean areKnown() {
        return !Double.isNaN(median);
    }

    /** For example {@code 0.87}. */
    static String number(double value, int decimals) {
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }

    /** For example {@code 0.87 (0.85 to 0.89)}, or empty. */
    String text(int decimals) {
        return areKnown()
                ? number(median, decimals) + " (" + number(lower, decimals) + " to " + number(upper, decimals) + ")"
                : "";
    }
}
