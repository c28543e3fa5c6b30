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
 * What a run has found so far.
 *
 * @param targets what had to be reached
 * @param tables for readers
 * @param figures for programs
 */
record Findings(List<Target> targets, List<Table> tables, List<Figure> figures) {

    private static final Pattern NUMBER = Pattern.compile("^-?[0-9]+(\\.[0-9]+)?");

    Findings() {
        this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }

    /**
     * The worst of several runs: every target, figure and row of a table comes from the run with its worst median.
     *
     * @param runs of the same subcommand with the same options
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

    /** Adds a table and figures of each of its variants. */
    void add(Comparison comparison) {
        tables.add(comparison.table(Set.of()));
        figures.addAll(comparison.figures());
    }

    /** Adds one figure of a row. */
    void add(String group, String name, String unit, Quartiles value) {
        figures.add(new Figure(group, name, Map.of(unit, value)));
    }

    /** At least this ratio of two variants has to be reached. */
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

    /** The number at the beginning of a cell; not a number where there is none. */
    private static double number(String cell) {
        Matcher number = NUMBER.matcher(cell.replace(",", ""));
        return number.find() ? Double.parseDouble(number.group()) : Double.NaN;
    }

    /** Something to reach: at least this, or, where less is better, at most. */
    record Target(String what, String bound, String measured, boolean reached) {

        private static final String AT_LEAST = "≥ ";

        private static Target worse(Target one, Target other) {
            boolean less = number(other.measured) < number(one.measured);
            return less == one.bound.startsWith(AT_LEAST) ? other : one;
        }
    }

    /**
     * A table as it is printed, with a line above and lines below it.
     *
     * @param worst what makes a row worse than the same of another run; null if rows cannot be compared
     */
    record Table(
            String title,
            List<String> header,
            List<List<String>> rows,
            List<String> notes,
            @Nullable Worst worst) {

        /** With the same rows in another run, the worse of each two. */
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
     * Which row is worse: the one with less in the first of these columns in which two rows differ, or with more.
     *
     * @param less whether less is worse
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

    /** All numbers of one variant, such as those with 8 callers, by their units. */
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
