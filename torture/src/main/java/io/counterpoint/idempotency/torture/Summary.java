package io.counterpoint.idempotency.torture;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A run as JSON. */
final class Summary {

    private Summary() {}

    static String of(Run run) {
        List<String> modes = new ArrayList<>();
        for (Segment.Result mode : run.modes()) {
            modes.add(object(
                    field("mode", mode.mode().option()),
                    field("keys", mode.keys()),
                    field("answered", mode.answered()),
                    field("unanswered", mode.unanswered()),
                    field("longestMillis", mode.longest().toMillis()),
                    field("millis", mode.time().toMillis()),
                    field("underFaults", mode.underFaults()),
                    name("faults") + sums(mode.faults()),
                    name("answers") + sums(mode.answers()),
                    name("violations") + violations(mode.verdict())));
        }
        List<String> mutants = new ArrayList<>();
        for (Run.Trial trial : run.mutants()) {
            mutants.add(object(
                    field("mutant", trial.mutant().option()),
                    name("caught") + trial.isCaught(),
                    name("violations") + violations(trial.caught())));
        }
        return object(
                        field("start", run.start().toString()),
                        field("seconds", run.time().toSeconds()),
                        field("seed", run.seed()),
                        field("arguments", run.command()),
                        field("java", run.versions().java()),
                        field("postgresql", run.versions().postgresql()),
                        field("driver", run.versions().driver()),
                        field("os", run.versions().os()),
                        field("processors", run.versions().processors()),
                        name("passed") + run.passed(),
                        name("complete") + run.complete(),
                        field("keys", run.keys()),
                        field("answered", run.answered()),
                        field("unanswered", run.unanswered()),
                        name("faults") + sums(run.faults()),
                        name("answers") + sums(run.answers()),
                        name("violations") + violations(run.verdict()),
                        field("lostReads", run.verdict().lostReads()),
                        name("modes") + array(modes),
                        name("mutants") + array(mutants))
                + "\n";
    }

    private static String violations(Verdict verdict) {
        List<String> fields = new ArrayList<>();
        for (Violation violation : Violation.values()) {
            fields.add(field(violation.toString(), verdict.count(violation)));
        }
        return object(fields.toArray(String[]::new));
    }

    private static String sums(Map<?, Long> sums) {
        return object(sums.entrySet().stream()
                .map(sum -> field(sum.getKey().toString(), sum.getValue()))
                .toArray(String[]::new));
    }

    private static String object(String... fields) {
        return "{" + String.join(", ", fields) + "}";
    }

    private static String array(List<String> elements) {
        return "[\n  " + String.join(",\n  ", elements) + "\n]";
    }

    private static String field(String name, long number) {
        return name(name) + number;
    }

    private static String field(String name, String text) {
        return name(name) + quoted(text);
    }

    private static String name(String name) {
        return quoted(name) + ": ";
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.chars().forEach(character -> {
            if (character == '"' || character == '\\') {
                quoted.append('\\').append((char) character);
            } else if (character < 0x20) {
                quoted.append(String.format("\\u%04x", character));
            } else {
                quoted.append((char) character);
            }
        });
        return quoted.append('"').toString();
    }
}
