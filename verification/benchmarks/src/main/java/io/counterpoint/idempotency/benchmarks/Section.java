package io.counterpoint.idempotency.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What one subcommand has found: one part of the documentation, and of the results.
 *
 * @param command how to get it again
 * @param date when it was measured
 * @param machine where it was measured
 * @param targets what had to be reached
 * @param tables for readers
 * @param figures for programs
 */
record Section(
        String title,
        String command,
        String date,
        String machine,
        List<Target> targets,
        List<Table> tables,
        List<Figure> figures) {

    private static final Pattern NUMBER = Pattern.compile("^-?[0-9]+(\\.[0-9]+)?");

    /**
     * The worst of several runs: every target, figure and row of a table comes from the run with its worst median.
     *
     * @param runs of the same subcommand with the same options
     */
    static Section worstOf(List<Section> runs) {
        Section last = runs.get(runs.size() - 1);
        return new Section(
                last.title,
                last.command,
                last.date,
                last.machine,
                worst(runs, Section::targets, Target::worse),
                worst(runs, Section::tables, Table::worse),
                worst(runs, Section::figures, Figure::worse));
    }

    /** The same with what is known only after all runs. */
    Section with(String repeat, String when, String note) {
        return new Section(title, repeat, when, machine + " " + note, targets, tables, figures);
    }

    private static <T> List<T> worst(List<Section> runs, Function<Section, List<T>> part, BinaryOperator<T> worse) {
        List<T> worst = new ArrayList<>(part.apply(runs.get(0)));
        for (Section run : runs.subList(1, runs.size())) {
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

    /** The number at the beginning of a cell; not a number where there is none. */
    private static double number(String cell) {
        Matcher number = NUMBER.matcher(cell.replace(",", ""));
        return number.find() ? Double.parseDouble(number.group()) : Double.NaN;
    }

    /** Something to reach: at least this, or, where less is better, at most. */
    record Target(String what, String bound, String measured, boolean reached) {

        private static final String AT_LEAST = "≥ ";

        static Target atLeast(double bound, String what, Quartiles ratio) {
            return new Target(what, AT_LEAST + bound, ratio.text(2), ratio.median() >= bound);
        }

        static Target atMost(double bound, String unit, String what, Quartiles figure) {
            return new Target(what, "≤ " + bound + " " + unit, figure.text(2), figure.median() <= bound);
        }

        static Target worse(Target one, Target other) {
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

        Table(String title, List<String> header, List<List<String>> rows, List<String> notes) {
            this(title, header, rows, notes, null);
        }

        /** With the same rows in another run, the worse of each two. */
        static Table worse(Table one, Table other) {
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

        List<String> of(List<String> one, List<String> other) {
            for (int column : columns) {
                int difference = Double.compare(number(one.get(column)), number(other.get(column)));
                if (difference != 0) {
                    return (less ? difference > 0 : difference < 0) ? other : one;
                }
            }
            return one;
        }
    }

    /** One number with its quartiles, such as the ratio of a variant at 8 threads; {@code bound} is 0 for none. */
    record Figure(String group, String name, String unit, Quartiles value, double bound) {

        private static final List<String> MORE_IS_BETTER = List.of("ratio", "of by hand", "calls/s");

        static Figure worse(Figure one, Figure other) {
            boolean less = other.value.median() < one.value.median();
            return less == MORE_IS_BETTER.contains(one.unit) ? other : one;
        }
    }
}
