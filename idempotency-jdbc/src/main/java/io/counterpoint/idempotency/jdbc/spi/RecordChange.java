package io.counterpoint.idempotency.jdbc.spi;

/** The compare-and-sets, each with the values that {@link RecordRow#bindChange} binds. */
public enum RecordChange {
    /** {@code Pending} to {@code Succeeded}: the result or null; last the name of the transaction that it has to be, or null. */
    SUCCEED,
    /** {@code Pending} to {@code Failed}: code and message. */
    FAIL,
    /** Deletes the record. Binds nothing. */
    RELEASE,
    /** Replaces the token: the fresh one. */
    REPLACE_TOKEN,
    /** Sets what is known of an external attempt: the fresh token, the protocol's letter, and the plan or null. */
    CHANGE_PROTOCOL;

    /**
     * The compare-and-set in ordinary SQL. Its parameters are in the order of {@link RecordRow#bindChange}. It does not
     * contain the condition on a success's transaction, because each database names transactions in its own way.
     *
     * @param table the table
     * @param now the database's time, in its SQL
     * @return the statement, to which a dialect can add conditions
     */
    public String sql(RecordTable table, String now) {
        String update = "UPDATE " + table + " SET updated_at = " + now + ", ";
        String what = switch (this) {
            case SUCCEED -> update + "state = 'S', payload = COALESCE(?, payload)";
            case FAIL -> update + "state = 'F', payload = NULL, failure_code = ?, failure_message = ?";
            case RELEASE -> "DELETE FROM " + table;
            case REPLACE_TOKEN -> update + "token = ?";
            case CHANGE_PROTOCOL -> update + "token = ?, protocol = ?, payload = COALESCE(?, payload)";
        };
        return what + " WHERE " + RecordRow.THIS_KEY + " AND state = 'P' AND token = ?";
    }
}
