package io.counterpoint.idempotency.trial;

import java.util.ArrayList;
import java.util.List;

/**
 * The position of a call among those of an execution.
 *
 * @param call the call
 * @param sql the statement's text, or an empty string
 * @param object the number of the driver object that is called
 * @param handlers the exception handlers that an exception of the call passes
 */
record Place(JdbcCall call, String sql, int object, List<String> handlers) {

    private static final int SHOWN = 40;

    /**
     * Whether a fault of this call and the same fault of the next one take the same path. Neither of them reaches the
     * database. Both do the same to the same object: they set a parameter of a statement, read a column of a row, or
     * are the same query of the driver's own knowledge. There is no other call between them. Their exceptions pass the
     * same handlers.
     */
    boolean isLike(Place next) {
        return call.isLocal()
                && next.call.isLocal()
                && call.inTransaction() == next.call.inTransaction()
                && object == next.object
                && call.kind().equals(next.call.kind())
                && handlers.equals(next.handlers);
    }

    /** Whether the call is a COMMIT or a statement that contains one. */
    boolean commits() {
        return call.method().equals("commit") || (call.isAnswered() && sql.contains("COMMIT"));
    }

    /** The numbers of calls, from 1, in classes: calls of a class are consecutive, and each is like the next. */
    static List<List<Integer>> classes(List<Place> places) {
        List<List<Integer>> classes = new ArrayList<>();
        for (int at = 0; at < places.size(); at++) {
            if (at == 0 || !places.get(at - 1).isLike(places.get(at))) {
                classes.add(new ArrayList<>());
            }
            classes.get(classes.size() - 1).add(at + 1);
        }
        return classes;
    }

    /** For example: PreparedStatement.executeUpdate "INSERT INTO grp…". */
    @Override
    public String toString() {
        String text = sql.trim().replaceAll("[ \t\r\n]+", " ");
        String some = text.length() > SHOWN ? text.substring(0, SHOWN) + "…" : text;
        return some.isEmpty() ? call.toString() : call + " \"" + some + "\"";
    }
}
