package io.counterpoint.idempotency.examples.appplatform;

import java.time.Duration;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The tables of the documentation, printed from what the program goes by. */
final class Declared {

    private Declared() {}

    static String operations() {
        StringBuilder table = header("operation", "path", "key", "safe to repeat by");
        Api.POLICIES.forEach(policy -> row(
                table,
                policy.operation(),
                "`POST " + policy.path() + "`",
                policy.key().toString(),
                policy.by()));
        return table.toString();
    }

    static String transactions() {
        StringBuilder table = header("operation", "together", "level", "consistency");
        Api.POLICIES.forEach(
                policy -> row(table, policy.operation(), policy.together(), policy.level(), policy.tier()));
        return table.toString();
    }

    static String reads() {
        StringBuilder table = header("read", "consistency", "from");
        Stream.of(AppRoutes.APP, AppRoutes.LIST, AppRoutes.CATALOG, AppRoutes.SEARCH, WorkspaceRoutes.USAGE)
                .forEach(read -> row(
                        table, "`GET " + read.path() + "`", read.level().name().toLowerCase(Locale.ROOT), read.from()));
        return table.toString();
    }

    static String bounds() {
        StringBuilder table = header("part", "follows by", "a duplicate", "eventual, within");
        MeasuredLags.PARTS.forEach(
                bound -> row(table, bound.part(), bound.by(), bound.duplicates(), words(bound.lag())));
        return table.toString();
    }

    static String checks() {
        StringBuilder table = header("check", "every", "severity", "made of");
        new PlatformChecks(new Events(), Platform.Times.USUAL.silence())
                .rows()
                .forEach(row -> row(
                        table,
                        "`" + row.check().name() + "`",
                        words(row.check().schedule().period()),
                        row.check().severity().name(),
                        row.check().parts().stream()
                                .map(part -> "`" + part.name() + "`")
                                .collect(Collectors.joining(", "))));
        return table.toString();
    }

    static String all() {
        return "## Operations\n\n" + operations() + "\n## Transactions\n\n" + transactions() + "\n## Reads\n\n"
                + reads() + "\n## What follows with a delay\n\n" + bounds() + "\n## Checks\n\n" + checks();
    }

    static String words(Duration duration) {
        if (duration.toDays() >= 1) {
            return duration.toDays() == 1 ? "day" : duration.toDays() + " days";
        }
        if (duration.toHours() >= 1) {
            return duration.toHours() == 1 ? "hour" : duration.toHours() + " hours";
        }
        return duration.toSeconds() + " s";
    }

    private static StringBuilder header(String... cells) {
        StringBuilder table = new StringBuilder();
        row(table, cells);
        return table.append("|---".repeat(cells.length)).append("|\n");
    }

    private static void row(StringBuilder table, String... cells) {
        table.append("| ").append(String.join(" | ", cells)).append(" |\n");
    }
}
