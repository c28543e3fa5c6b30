package io.counterpoint.idempotency.trial;

import io.counterpoint.idempotency.trial.Tables.Found;
import java.util.ArrayList;
import java.util.List;

/**
 * What came of a case.
 *
 * @param complaints what was wrong
 * @param callsAfter the calls of the driver after the one that failed
 * @param events what the listener heard
 * @param first what the call under test came to
 * @param then what the tables said then
 * @param second what the retry came to
 * @param last what the tables said in the end
 */
record Course(
        List<String> complaints,
        List<JdbcCall> callsAfter,
        List<String> events,
        Answer first,
        Found then,
        Answer second,
        Found last) {

    boolean isWrong() {
        return !complaints.isEmpty();
    }

    /**
     * The same text for all courses that differ in keys, results and messages only.
     *
     * @param leftOut how many of the first calls after the one that failed do not count
     */
    String path(int leftOut) {
        return "complaints " + complaints.size() + ", calls " + callsAfter.subList(leftOut, callsAfter.size())
                + ", events " + events + ", answer "
                + typesOf(first) + ", tables " + shapeOf(then) + ", retry " + typesOf(second) + ", tables "
                + shapeOf(last);
    }

    private static String shapeOf(Found found) {
        return found.record() + " " + found.payload().isPresent() + " "
                + found.effects().size();
    }

    private static List<String> typesOf(Answer answer) {
        List<String> types = new ArrayList<>(List.of(answer.name()));
        for (Throwable cause = answer.thrown(); cause != null && types.size() < 20; cause = cause.getCause()) {
            types.add(cause.getClass().getSimpleName() + cause.getSuppressed().length);
        }
        return types;
    }
}
