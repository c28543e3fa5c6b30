package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.programs.Markdown;
import io.counterpoint.idempotency.programs.TextTable;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The tables in the README, printed from the declarations that the program itself uses. */
final class Declared {

    private Declared() {}

    static String operations() {
        TextTable table = new TextTable().row("operation", "path", "key", "safe to repeat by");
        Api.POLICIES.forEach(
                policy -> table.row(policy.operation(), "`POST " + policy.path() + "`", policy.key(), policy.by()));
        return table.markdown();
    }

    static String transactions() {
        TextTable table = new TextTable().row("operation", "together", "level", "consistency");
        Api.POLICIES.forEach(policy -> table.row(policy.operation(), policy.together(), policy.level(), policy.tier()));
        return table.markdown();
    }

    static String reads() {
        TextTable table = new TextTable().row("read", "consistency", "from");
        Stream.of(AppRoutes.APP, AppRoutes.LIST, AppRoutes.CATALOG, AppRoutes.SEARCH, AppRoutes.USAGE)
                .forEach(read -> table.row(
                        "`GET " + read.path() + "`", read.level().name().toLowerCase(Locale.ROOT), read.from()));
        return table.markdown();
    }

    static String bounds() {
        TextTable table = new TextTable().row("part", "follows by", "a duplicate", "eventual, within");
        MeasuredLags.PARTS.forEach(
                bound -> table.row(bound.part(), bound.by(), bound.duplicates(), words(bound.lag())));
        return table.markdown();
    }

    static String checks() {
        TextTable table = new TextTable().row("check", "every", "severity", "made of");
        new PlatformChecks(new Events(), Platform.Times.USUAL.silence())
                .rows()
                .forEach(row -> table.row(
                        "`" + row.check().name() + "`",
                        words(row.check().schedule().period()),
                        row.check().severity(),
                        row.check().parts().stream()
                                .map(part -> "`" + part.name() + "`")
                                .collect(Collectors.joining(", "))));
        return table.markdown();
    }

    static String all() {
        return new Markdown()
                .heading(2, "Operations")
                .paragraph(operations())
                .heading(2, "Transactions")
                .paragraph(transactions())
                .heading(2, "Reads")
                .paragraph(reads())
                .heading(2, "Eventually consistent parts")
                .paragraph(bounds())
                .heading(2, "Checks")
                .paragraph(checks())
                .text();
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
}
