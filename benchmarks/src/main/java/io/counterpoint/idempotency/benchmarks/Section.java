package io.counterpoint.idempotency.benchmarks;

import java.util.List;

/**
 * What one subcommand has found: one part of the documentation, and of the JSON beside it.
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

    /** Something to reach: at least this, or, where less is better, at most. */
    record Target(String what, String bound, String measured, boolean reached) {

        static Target atLeast(double bound, String what, Quartiles ratio) {
            return new Target(what, "≥ " + bound, ratio.text(2), ratio.median() >= bound);
        }

        static Target atMost(double bound, String unit, String what, Quartiles figure) {
            return new Target(what, "≤ " + bound + " " + unit, figure.text(2), figure.median() <= bound);
        }
    }

    /** A table as it is printed, with a line above and lines below it. */
    record Table(String title, List<String> header, List<List<String>> rows, List<String> notes) {}

    /** One number with its quartiles, such as the ratio of a variant at 8 threads; {@code bound} is 0 for none. */
    record Figure(String group, String name, String unit, Quartiles value, double bound) {}
}
