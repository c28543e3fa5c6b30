package io.counterpoint.idempotency.jdbc.spi;

/** The compare-and-sets, each with the values that {@link RecordRow#bindChange} binds. */
public enum RecordChange {
    /**
     * {@code Pending} to {@code Succeeded}: the result or null; last, the required name of the transaction, or null.
     */
    SUCCEED,
    /** {@code Pending} to {@code Failed}: code and message. */
    FAIL,
    /** Deletes the record. Binds nothing. */
    RELEASE,
    /** Replaces the token: the new one. */
    REPLACE_TOKEN,
    /** Sets what is known about an external attempt: the new token, the protocol's letter, and the plan or null. */
    CHANGE_PROTOCOL;

    /**
     * Returns the compare-and-set in standard SQL. Its parameters are in the order of {@link RecordRow#bindChange}. It
     * does not include the condition on the transaction of a success, because each database names transactions in its
     * own way.
     *
     * @param table the table
     * @param now the SQL expression for the database's current time
     * @return the statement, to which a dialect can append conditions
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
