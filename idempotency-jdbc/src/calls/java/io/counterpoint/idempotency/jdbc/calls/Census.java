package io.counterpoint.idempotency.jdbc.calls;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How many cases there were, by what, and which of them were not as they should be. */
final class Census {

    private final List<? extends Made> kinds;
    private final Map<String, Map<String, Integer>> counts = new TreeMap<>();
    private final Map<String, List<String>> failures = new TreeMap<>();
    private final Set<String> pairs = new TreeSet<>();
    private int cases;
    private int different;
    private int alike;

    /** Counts what a selection has chosen from: faults that differ, and those that do the same as one of them. */
    synchronized void possible(int newDifferent, int newAlike) {
        different += newDifferent;
        alike += newAlike;
    }

    Census(List<? extends Made> kinds) {
        this.kinds = kinds;
    }

    synchronized void add(Case made, List<String> complaints) {
        cases++;
        String database = made.setting().stage().database.name;
        count(database, "protocol  " + made.setting().way());
        count(database, "scenario  " + made.setting().scenario());
        count(database, "reached   " + made.setting().made());
        count(database, "reached   " + (made.setting().stage().autoCommit ? "autocommit" : "no autocommit"));
        count(database, "fault     " + (made.expected() == null ? "none" : made.fault()));
        count(database, "all");
        if (made.expected() != null) {
            pairs.add(made.setting().scenario() + " " + made.fault());
            pairs.add(made.setting().way() + " " + made.fault());
            pairs.add(made.setting().made() + " " + made.fault());
            pairs.add(made.setting().scenario() + " " + made.setting().made());
        }
        if (!complaints.isEmpty()) {
            failures.computeIfAbsent(
                            complaints.get(0).replaceAll("key-[0-9]+|[0-9a-f-]{36}", "*"), unused -> new ArrayList<>())
                    .add(made + "\n        " + String.join("\n        ", complaints));
        }
    }

    private void count(String database, String row) {
        counts.computeIfAbsent(row, unused -> new TreeMap<>()).merge(database, 1, Integer::sum);
    }

    /** The pairs that were not met, although every selection has to meet them: their faults can strike at any call. */
    synchronized List<String> pairsMissed() {
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

    int cases() {
        return cases;
    }

    /** What there is to choose from. */
    String possible() {
        return "of " + different + " that differ, and " + alike + " more that do the same as one of these";
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

    /** A column for each database. */
    synchronized String table() {
        Set<String> databases = new TreeSet<>();
        counts.values().forEach(row -> databases.addAll(row.keySet()));
        StringBuilder text = new StringBuilder(line("cases", databases.stream()));
        counts.forEach((row, of) ->
                text.append(line(row, databases.stream().map(database -> of.getOrDefault(database, 0)))));
        return text.toString();
    }

    private static String line(String row, Stream<?> cells) {
        return "%-42s".formatted(row)
                + cells.map(" %10s"::formatted).collect(Collectors.joining())
                + System.lineSeparator();
    }
}
