package io.counterpoint.idempotency.trial;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What was wrong in a case.
 *
 * @param where the call and its fault
 * @param what what is wrong
 * @param key the key of the case
 * @param seen the results and the effects
 */
record Wrong(Where where, String what, String key, String seen) {

    /**
     * A call and its fault.
     *
     * @param call the number and the name of the call
     * @param fault what happened to the call
     * @param when before or after the call, and with how many duplicates
     */
    record Where(String call, String fault, String when) {

        static final Where HEALTHY = new Where("", "Without a fault", "");

        static final Where LATE = new Where("", "Retried late", "");

        static Where of(int number, Place place, String fault, String when) {
            return new Where("At call " + number + " (" + place + "), ", fault, when);
        }

        @Override
        public String toString() {
            return call + fault + when;
        }
    }

    /** Throws if anything is wrong, with the number of occurrences and an example for each kind of fault. */
    static void requireNone(List<Wrong> found) {
        if (found.isEmpty()) {
            return;
        }
        Map<String, List<Wrong>> kinds =
                found.stream().collect(Collectors.groupingBy(Wrong::what, LinkedHashMap::new, Collectors.toList()));
        throw new AssertionError(kinds.entrySet().stream()
                .map(kind -> kind.getKey() + ", " + kind.getValue().size() + " times:\n" + examples(kind.getValue()))
                .collect(Collectors.joining("\n")));
    }

    private static String examples(List<Wrong> ofAKind) {
        Map<String, Wrong> first = new LinkedHashMap<>();
        ofAKind.forEach(wrong -> first.putIfAbsent(wrong.where.fault, wrong));
        return first.values().stream().map(Wrong::toString).collect(Collectors.joining("\n"));
    }

    /** For example: At call 7 (Connection.commit), connection lost after the server did it: effect twice for key k-1. */
    @Override
    public String toString() {
        return where + ": " + what + " for key " + key + ".\n    " + seen;
    }
}
