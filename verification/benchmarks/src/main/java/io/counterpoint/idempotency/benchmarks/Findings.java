package io.counterpoint.idempotency.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The findings of a run so far.
 *
 * @param targets the goals
 * @param tables for readers
 * @param figures for programs
 */
record Findings(List<Target> targets, List<Table> tables, List<Figure> figures) {

    private static final Pattern NUMBER = Pattern.compile("^-?[0-9]+(\\.[0-9]+)?");

    Findings() {
        this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }

    /**
     * The worst of several runs: each target, figure and table row comes from the run with its worst median.
     *
     * @param runs runs of the same subcommand with the same options
     */
    static Findings worstOf(List<Findings> runs) {
        return new Findings(
                worst(runs, Findings::targets, Target::worse),
                worst(runs, Findings::tables, Table::worse),
                worst(runs, Findings::figures, Figure::worse));
    }

    private static <T> List<T> worst(List<Findings> runs, Function<Findings, List<T>> part, BinaryOperator<T> worse) {
        List<T> worst = new ArrayList<>(part.apply(runs.get(0)));
        for (Findings run : runs.subList(1, runs.size())) {
            List<T> others = part.apply(run);
            if (others.size() != worst.size()) {
                throw new IllegalArgumentException("runs of one subcommand found different things");
            }
            for (int i = 0; i < worst.size(); i++) {
                worst.set(i, worse.apply(worst.get(i), others.get(i)));
            }
        }
        return worst;
    }

    /** Adds a table, and the figures of each of its variants. */
    void add(Comparison comparison) {
        tables.add(comparison.table(Set.of()));
        figures.addAll(comparison.figures());
    }

    /** Adds one figure of a row. */
    void add(String group, String name, String unit, Quartiles value) {
        figures.add(new Figure(group, name, Map.of(unit, value)));
    }

    /** Adds a target: the minimum ratio of two variants. */
    void atLeast(double bound, Comparison comparison, String variant, String to) {
        atLeast(
                bound,
                comparison.title().replaceFirst(", pool.*", "") + ": " + variant + " / " + to,
                comparison.measured().ratio(variant, to));
    }

    void atLeast(double bound, String what, Quartiles ratio) {
        targets.add(new Target(what, Target.AT_LEAST + bound, ratio.text(2), ratio.median() >= bound));
    }

    void atMost(double bound, String unit, String what, Quartiles figure) {
        targets.add(new Target(what, "≤ " + bound + " " + unit, figure.text(2), figure.median() <= bound));
    }

    /** The number at the beginning of a cell, or NaN. */
    private static double number(String cell) {
        Matcher number = NUMBER.matcher(cell.replace(",", ""));
        return number.find() ? Double.parseDouble(number.group()) : Double.NaN;
    }

    /** A goal: a minimum or, if less is better, a maximum. */
    record Target(String what, String bound, String measured, boolean reached) {

        private static final String AT_LEAST = "≥ ";

        private static Target worse(Target one, Target other) {
            boolean less = number(other.measured) < number(one.measured);
            return less == one.bound.startsWith(AT_LEAST) ? other : one;
        }
    }

    /**
     * A table as printed, with a title above and notes below it.
     *
     * @param worst what makes a row worse than the same row of another run; null if rows cannot be compared
     */
    record Table(
            String title,
            List<String> header,
            List<List<String>> rows,
            List<String> notes,
            @Nullable Worst worst) {

        /** Combines it with the same table of another run, row by row, keeping the worse row. */
        private static Table worse(Table one, Table other) {
            Worst worst = one.worst;
            if (worst == null || one.rows.size() != other.rows.size()) {
                return one;
            }
            List<List<String>> rows = new ArrayList<>();
            for (int i = 0; i < one.rows.size(); i++) {
                rows.add(worst.of(one.rows.get(i), other.rows.get(i)));
            }
            return new Table(one.title, one.header, rows, one.notes, worst);
        }
    }

    /**
     * Decides which row is worse: the one that is smaller, or larger, in the first of these columns in which the two
     * differ.
     *
     * @param less whether smaller is worse
     */
    record Worst(List<Integer> columns, boolean less) {

        static Worst less(Integer... columns) {
            return new Worst(List.of(columns), true);
        }

        static Worst more(Integer... columns) {
            return new Worst(List.of(columns), false);
        }

        private List<String> of(List<String> one, List<String> other) {
            for (int column : columns) {
                int difference = Double.compare(number(one.get(column)), number(other.get(column)));
                if (difference != 0) {
                    return (less ? difference > 0 : difference < 0) ? other : one;
                }
            }
            return one;
        }
    }

    /** All numbers of one variant in one group, such as with 8 callers, by unit. */
    record Figure(String group, String name, Map<String, Quartiles> values) {

        private static Figure worse(Figure one, Figure other) {
            Map<String, Quartiles> worst = new LinkedHashMap<>(one.values);
            other.values.forEach((unit, value) -> worst.merge(unit, value, (first, second) -> {
                boolean less = second.median() < first.median();
                return less == (unit.startsWith("ratio") || unit.equals("calls/s")) ? second : first;
            }));
            return new Figure(one.group, one.name, worst);
        }
    }
}
