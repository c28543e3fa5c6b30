package io.counterpoint.idempotency.spring.shapes;

import io.counterpoint.idempotency.spring.shapes.Trial.Seen;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What the library changes of a shape. */
final class Outcome {

    private static final String SAME = "the same";
    private static final String SAME_EXCEPTION = "the same exception, `";
    /** Where nothing is written. */
    private static final String REFUSED = "rejected at the call: `";

    static final String ROLLED_BACK = "the same exception, but all is rolled back";
    private static final String OTHER_ANSWER = "the same; a retry writes nothing, but gets a different response";
    /** The caller gets the result, and a listener of the library's what Spring would have thrown. */
    static final String TOLD = "the same rows; the exception goes to `AfterCommitFailed`";

    static final String WRITTEN = "written, since an operation has a transaction";

    /** Where the application needs a second one without the library too. */
    static final String NO_CONNECTION = "no connection";

    private Outcome() {}

    /** By the names of the shapes. */
    static Map<String, String> all(Kind kind, boolean onPostgres) throws Exception {
        Map<String, List<Seen>> without = Trial.run(kind, onPostgres, false);
        Map<String, List<Seen>> with = Trial.run(kind, onPostgres, true);
        Map<String, String> outcomes = new LinkedHashMap<>();
        without.forEach((shape, seen) -> outcomes.put(shape, of(seen, with.get(shape))));
        return outcomes;
    }

    static boolean isKnown(String outcome) {
        return Stream.of(SAME, SAME_EXCEPTION, REFUSED, RefusedAtStart.REFUSED).anyMatch(outcome::startsWith);
    }

    /** The requests come in pairs: the second has the key of the first. */
    private static String of(List<Seen> without, List<Seen> with) {
        return IntStream.iterate(0, i -> i < with.size(), i -> i + 2)
                .mapToObj(i -> of(without.get(i), without.get(i + 1), with.get(i), with.get(i + 1)))
                .distinct()
                .collect(Collectors.joining("; "));
    }

    private static String of(Seen plain, Seen plainAgain, Seen first, Seen again) {
        if (plain.answer().matches("500 (ExecutionException|.*Connection.*|CannotCreateTransactionException)")) {
            return NO_CONNECTION;
        }
        if (first.isSuccess()
                && plain.isSuccess()
                && plain.changes().isEmpty()
                && !first.changes().isEmpty()) {
            return again.changes().isEmpty() ? WRITTEN : differs(plain, first, again);
        }
        if (first.isSuccess()) {
            if (!first.changes().equals(plain.changes()) || !again.changes().isEmpty()) {
                return differs(plain, first, again);
            }
            boolean sameAgain = again.answer().equals(first.answer());
            return !plain.isSuccess() && sameAgain
                    ? TOLD
                    : !first.equals(plain) ? differs(plain, first, again) : sameAgain ? SAME : OTHER_ANSWER;
        }
        String exception = first.answer().substring(4) + "`";
        if (first.equals(plain)) {
            // Its key is released, or the retry is rejected.
            return again.equals(plainAgain) || again.changes().isEmpty()
                    ? SAME_EXCEPTION + exception
                    : differs(plain, first, again);
        }
        if (!first.changes().isEmpty() || !again.changes().isEmpty()) {
            return differs(plain, first, again);
        }
        return first.answer().equals(plain.answer()) ? ROLLED_BACK : REFUSED + exception;
    }

    private static String differs(Seen plain, Seen first, Seen again) {
        return "DIFFERS: " + plain + " BECOMES " + first + ", AND THEN " + again;
    }
}
