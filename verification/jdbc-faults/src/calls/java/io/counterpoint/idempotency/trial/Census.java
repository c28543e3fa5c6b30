package io.counterpoint.idempotency.trial;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How many cases there were, by what, and which of them were not as they should be. */
final class Census {

    /** What cases have in common. Without a fault it strikes past the last call. */
    private record Group(String database, Setting setting, Fault fault) {
        Stream<String> rows() {
            return Stream.of(
                    "protocol  " + setting.way(),
                    "scenario  " + setting.scenario(),
                    "reached   " + setting.made(),
                    "reached   " + (setting.stage().autoCommit ? "autocommit" : "no autocommit"),
                    "fault     " + (fault == null ? "none" : fault),
                    "all");
        }

        Stream<String> pairs() {
            return fault == null
                    ? Stream.empty()
                    : Stream.of(
                            setting.scenario() + " " + fault,
                            setting.way() + " " + fault,
                            setting.made() + " " + fault,
                            setting.scenario() + " " + setting.made());
        }
    }

    /** How many there were, and for how many faults at calls they stand. */
    private record Counts(int cases, int covered) {
        static Counts sum(Counts one, Counts other) {
            return new Counts(one.cases + other.cases, one.covered + other.covered);
        }
    }

    private final List<? extends Made> kinds;
    private final Map<Group, Counts> counts = new HashMap<>();
    private final Map<String, List<String>> failures = new TreeMap<>();
    private final Map<Boolean, Integer> possible = new HashMap<>();

    Census(List<? extends Made> kinds) {
        this.kinds = kinds;
    }

    /** Counts what a selection has chosen from: every call with every fault that fits it. */
    synchronized void possible(Setting setting, int faults) {
        possible.merge(setting.made().isEnumerated(), faults, Integer::sum);
    }

    synchronized void add(Case made, List<String> complaints) {
        Setting setting = made.setting();
        Group group = new Group(setting.stage().database.name, setting, made.expected() == null ? null : made.fault());
        counts.merge(group, new Counts(1, made.covered()), Counts::sum);
        if (!complaints.isEmpty()) {
            failures.computeIfAbsent(
                            complaints.get(0).replaceAll("key-[0-9]+|[0-9a-f-]{36}", "*"), unused -> new ArrayList<>())
                    .add(made + ": " + String.join("\n        ", complaints));
        }
    }

    /** The pairs that were not met, although every selection has to meet them: their faults can strike at any call. */
    synchronized List<String> pairsMissed() {
        Set<String> pairs = counts.keySet().stream().flatMap(Group::pairs).collect(Collectors.toSet());
        List<String> missed = new ArrayList<>();
        for (Fault fault : EnumSet.complementOf(EnumSet.of(Fault.REFUSED_BEFORE, Fault.REFUSED_AFTER, Fault.WARNED))) {
            Stream.of(List.of(Scenario.values()), List.of(ProtocolVariant.values()), kinds)
                    .flatMap(List::stream)
                    .map(one -> one + " " + fault)
                    .filter(pair -> !pairs.contains(pair))
                    .forEach(missed::add);
        }
        for (Scenario scenario : Scenario.values()) {
            kinds.stream()
                    .filter(made -> made.hasCallbacks() || !scenario.callbackThrows())
                    .map(made -> scenario + " " + made)
                    .filter(pair -> !pairs.contains(pair))
                    .forEach(missed::add);
        }
        return missed;
    }

    synchronized int cases() {
        return counts.values().stream().mapToInt(Counts::cases).sum();
    }

    /** How many faults at calls fit, of the kinds of stores that are enumerated, or of the others. */
    synchronized int possible(boolean enumerated) {
        return possible.getOrDefault(enumerated, 0);
    }

    /** For how many of these a case stands. */
    synchronized int covered(boolean enumerated) {
        return counts.entrySet().stream()
                .filter(entry -> entry.getKey().setting().made().isEnumerated() == enumerated)
                .mapToInt(entry -> entry.getValue().covered())
                .sum();
    }

    /** Every kind of mistake with how often it was met, and a few of the cases. */
    String failures(int few) {
        StringBuilder text = new StringBuilder();
        failures.forEach((what, where) -> {
            text.append("\n").append(where.size()).append(" times: ").append(what);
            where.stream().limit(few).forEach(one -> text.append("\n    ").append(one));
        });
        return text.toString();
    }

    /** Two columns for each database: cases, and the faults at calls for which they stand. */
    synchronized String table() {
        Map<String, Map<String, Counts>> rows = new TreeMap<>();
        Set<String> databases = new TreeSet<>();
        counts.forEach((group, count) -> group.rows().forEach(row -> {
            databases.add(group.database());
            rows.computeIfAbsent(row, unused -> new TreeMap<>()).merge(group.database(), count, Counts::sum);
        }));
        StringBuilder text = new StringBuilder(line(
                "cases, and faults for which they stand", databases.stream().flatMap(name -> Stream.of(name, ""))));
        rows.forEach((row, of) -> text.append(line(
                row,
                databases.stream()
                        .map(database -> of.getOrDefault(database, new Counts(0, 0)))
                        .flatMap(count -> Stream.of(count.cases(), count.covered())))));
        return text.toString();
    }

    private static String line(String row, Stream<?> cells) {
        return "%-42s".formatted(row)
                + cells.map(" %10s"::formatted).collect(Collectors.joining())
                + System.lineSeparator();
    }
}
