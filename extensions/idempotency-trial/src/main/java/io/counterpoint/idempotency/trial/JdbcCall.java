package io.counterpoint.idempotency.trial;

import java.util.Set;

/**
 * One driver call.
 *
 * @param owner the interface that declares it
 * @param method its name
 * @param inTransaction whether a transaction was open that the call could not end
 */
record JdbcCall(String owner, String method, boolean inTransaction) {

    private static final Set<String> ASKED = Set.of("execute", "executeQuery", "executeUpdate");

    private static final Set<String> KNOWN = Set.of("getAutoCommit", "getMetaData", "isClosed");

    private static final Set<String> READS =
            Set.of("getBoolean", "getBytes", "getInt", "getLong", "getObject", "getString", "getTimestamp");

    private static final Set<String> MAKES = Set.of("createStatement", "prepareStatement");

    private static final Set<String> ROWS = Set.of("close", "isClosed", "next", "wasNull");

    private static final Set<String> CLOSES = Set.of("close", "isClosed");

    private static final Set<String> LIMITS = Set.of("getMaxRows", "getQueryTimeout");

    private static final Set<String> ENDS = Set.of("rollback", "abort");

    /** Whether the database itself replies and can therefore also reject the call. */
    boolean isAnswered() {
        return method.equals("commit") || ASKED.contains(method);
    }

    /** Whether earlier work can be committed once the call has succeeded. */
    boolean mayCommit() {
        return method.equals("commit") || method.equals("setAutoCommit") || (isAnswered() && !inTransaction);
    }

    /** Whether a transaction or a loan of a connection ends here: most bugs are found around these calls. */
    boolean isAnEnd() {
        return mayCommit() || ENDS.contains(method) || givesBack();
    }

    boolean givesBack() {
        return owner.equals("Connection") && method.equals("close");
    }

    /** Whether the call only queries the driver's own knowledge, sets a parameter or reads a column. */
    boolean isLocal() {
        return switch (owner) {
            case "Wrapper", "DatabaseMetaData" -> true;
            case "Connection" -> KNOWN.contains(method);
            case "PreparedStatement" -> method.startsWith("set");
            case "ResultSet" -> method.startsWith("get");
            case "Statement" -> method.equals("getUpdateCount");
            default -> false;
        };
    }

    /**
     * Whether the call queries the driver's own knowledge, creates a statement, or queries, changes or closes a
     * statement or its rows. A fault after it differs from one before it only if that statement or those rows are used
     * afterwards.
     */
    boolean staysInDriver() {
        return isLocal()
                || switch (owner) {
                    case "Connection" -> MAKES.contains(method);
                    case "ResultSet" -> ROWS.contains(method);
                    case "Statement", "PreparedStatement" -> !isAnswered() && !method.startsWith("execute");
                    default -> false;
                };
    }

    /** What it does: binds a parameter, reads a column, or what its name says. */
    String kind() {
        boolean binds = owner.equals("PreparedStatement") && method.startsWith("set");
        boolean reads = owner.equals("ResultSet") && READS.contains(method);
        return binds ? "binds" : reads ? "reads" : toString();
    }

    /** Whether the call can reveal what an earlier one on the same statement or the same rows has done. */
    boolean mayShow(JdbcCall earlier) {
        boolean moves = method.equals("next") && (earlier.kind().equals("reads") || earlier.method.equals("wasNull"));
        boolean asksForLimits = LIMITS.contains(method) && earlier.kind().equals("binds");
        boolean changedNothing = earlier.method.equals("isClosed") || LIMITS.contains(earlier.method);
        return !moves && !asksForLimits && !changedNothing && !CLOSES.contains(method);
    }

    /** For example: after the server did it. */
    String done(String when) {
        return " " + when + (isAnswered() ? " the server did it" : " it was done");
    }

    boolean opens() {
        return method.equals("getConnection") && owner.equals("DataSource");
    }

    @Override
    public String toString() {
        return owner + "." + method;
    }
}
