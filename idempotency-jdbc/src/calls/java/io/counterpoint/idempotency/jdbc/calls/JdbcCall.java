package io.counterpoint.idempotency.jdbc.calls;

import java.util.Set;

/**
 * One call of the driver.
 *
 * @param owner the interface that declares it
 * @param method its name
 * @param inTransaction whether a transaction was open that the call could not end
 */
record JdbcCall(String owner, String method, boolean inTransaction) {

    private static final Set<String> ASKED = Set.of("execute", "executeQuery", "executeUpdate");

    private static final Set<String> ENDS = Set.of("rollback", "abort");

    /** Whether the database itself answers, so that it may also refuse. */
    boolean isAnswered() {
        return method.equals("commit") || ASKED.contains(method);
    }

    /** Whether what came before can be committed once the call has gone through. */
    boolean mayCommit() {
        return method.equals("commit") || method.equals("setAutoCommit") || (isAnswered() && !inTransaction);
    }

    /** Whether a transaction or a loan ends here: most mistakes are made around it. */
    boolean isAnEnd() {
        return mayCommit() || ENDS.contains(method) || (owner.equals("Connection") && method.equals("close"));
    }

    boolean opens() {
        return method.equals("getConnection") && owner.equals("DataSource");
    }

    @Override
    public String toString() {
        return owner + "." + method;
    }
}
