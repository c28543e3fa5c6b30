package io.counterpoint.idempotency.examples.appplatform.page;

import io.counterpoint.idempotency.examples.appplatform.page.TimeLine.Lane;
import org.jdbi.v3.core.Handle;

/**
 * A key, as its tables show it.
 *
 * @param state none, pending, succeeded or failed
 * @param token the beginning of the token that a leader's next write must present; empty without a record
 * @param ageMillis the time since the record was changed
 * @param leaderSession the server's description of the leader's connection
 * @param groups the number of groups, which are the effects
 */
record RecordRow(String state, String token, long ageMillis, String leaderSession, long groups) {

    /** The name of the leader's connections on the server. */
    static String sessionOf(String key) {
        return "leader-" + key;
    }

    static RecordRow of(Handle handle, String key) {
        String row = """
                SELECT CASE r.state WHEN 'P' THEN 'pending' WHEN 'S' THEN 'succeeded' WHEN 'F' THEN 'failed' ELSE 'none' END,
                    COALESCE(left(r.token::text, 8), ''),
                    COALESCE((extract(epoch FROM clock_timestamp() - r.updated_at) * 1000)::bigint, 0),
                    COALESCE((SELECT a.state FROM pg_stat_activity a WHERE a.application_name = ?
                        ORDER BY a.state_change DESC LIMIT 1), 'none'),
                    (SELECT count(*) FROM chat_group WHERE name = ?)
                FROM (SELECT 1) row_in_any_case LEFT JOIN idempotency_record r
                    ON r.operation = 'create-group' AND r.scope = 'user:ada' AND r.key_value = ?
                """;
        return handle.select(row, sessionOf(key), Asking.request(key).name(), key)
                .map((columns, context) -> new RecordRow(
                        columns.getString(1),
                        columns.getString(2),
                        columns.getLong(3),
                        columns.getString(4),
                        columns.getLong(5)))
                .one();
    }

    /** Adds what has changed since an earlier reading to the time line. */
    void tell(RecordRow before, TimeLine line) {
        if (!state.equals(before.state) || !token.equals(before.token)) {
            line.add(Lane.RECORD, token.isEmpty() ? "no record" : state + ", token " + token);
        }
        if (groups != before.groups) {
            line.add(Lane.RECORD, groups == 1 ? "one group" : groups + " groups");
        }
    }
}
