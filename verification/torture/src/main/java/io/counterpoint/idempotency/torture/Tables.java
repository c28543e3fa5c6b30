package io.counterpoint.idempotency.torture;

import io.counterpoint.idempotency.programs.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** The results of a run, in tables for a terminal and for the page. */
final class Tables {

    private Tables() {}

    static TextTable promises(Verdict verdict) {
        TextTable table = new TextTable().row("kind", "found", "how it would show");
        for (Violation violation : Violation.values()) {
            table.row(violation, verdict.count(violation), violation.meaning());
        }
        return table;
    }

    static TextTable quantities(Run run) {
        TextTable table = new TextTable();
        Map<String, Long> reached = run.quantities().rows();
        if (run.wanted().isEmpty()) {
            table.row("what", "reached");
            reached.forEach(table::row);
        } else {
            table.row("what", "at least", "reached");
            run.wanted()
                    .get()
                    .rows()
                    .forEach((what, wanted) -> table.row(what, wanted, reached.getOrDefault(what, 0L)));
        }
        return table;
    }

    static TextTable modes(Run run) {
        TextTable table = new TextTable()
                .row(
                        "",
                        "mode",
                        "keys",
                        "answered",
                        "of these under faults",
                        "cut off",
                        "longest call",
                        "broken promises");
        int number = 1;
        for (Segment.Result mode : run.modes()) {
            table.row(
                    number++,
                    mode.mode(),
                    mode.keys(),
                    mode.answered(),
                    mode.underFaults(),
                    mode.unanswered(),
                    String.format(Locale.ROOT, "%.1f s", mode.longest().toMillis() / 1_000.0),
                    mode.verdict().total());
        }
        return table.row(
                "",
                "all",
                run.keys(),
                run.answered(),
                run.quantities().calls(),
                run.unanswered(),
                "",
                run.verdict().total());
    }

    /** One column for all modes together, and one for each mode. */
    static <K> TextTable byMode(Run run, String what, K[] kinds, Function<Segment.Result, Map<K, Long>> counts) {
        List<Object> head = new ArrayList<>(List.of(what, "all"));
        for (int mode = 1; mode <= run.modes().size(); mode++) {
            head.add("mode " + mode);
        }
        TextTable table = new TextTable().row(head.toArray());
        for (K kind : kinds) {
            List<Long> each = run.modes().stream()
                    .map(mode -> counts.apply(mode).getOrDefault(kind, 0L))
                    .toList();
            List<Object> row = new ArrayList<>(
                    List.of(kind, each.stream().mapToLong(Long::longValue).sum()));
            row.addAll(each);
            table.row(row.toArray());
        }
        return table;
    }

    static TextTable sums(String what, Map<?, Long> sums) {
        TextTable table = new TextTable().row(what, "all");
        sums.forEach(table::row);
        return table;
    }

    static TextTable mutants(Run run) {
        TextTable table = new TextTable().row("what is wrong", "mode", "caught by");
        for (Run.Trial trial : run.mutants()) {
            table.row(trial.mutant(), trial.mutant().mode(), trial.isCaught() ? trial.caught() : "**not caught**");
        }
        return table;
    }
}
