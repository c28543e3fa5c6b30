package io.counterpoint.idempotency.examples.appplatform.page;

import io.counterpoint.idempotency.examples.appplatform.page.TimeLine.Lane;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * A key as its tables show it.
 *
 * @param state none, pending, succeeded or failed
 * @param token the beginning of the token that the next write of a leader has to state; empty without a record
 * @param ageMillis the time since the record was changed
 * @param leaderSession what the server says of the leader's connection
 * @param groups how many groups there are: the effects
 */
record RecordRow(String state, String token, long ageMillis, String leaderSession, long groups) {

    private static final Map<String, String> STATES = Map.of("P", "pending", "S", "succeeded", "F", "failed");

    /** Names the leader's connections to the server. */
    static String sessionOf(String key) {
        return "leader-" + key;
    }

    static RecordRow of(Handle handle, String key) {
        Optional<String> session = handle.createQuery(
                        "SELECT state FROM pg_stat_activity WHERE application_name = ? ORDER BY state_change DESC LIMIT 1")
                .bind(0, sessionOf(key))
                .mapTo(String.class)
                .findFirst();
        long groups = handle.createQuery("SELECT count(*) FROM chat_group WHERE name = ?")
                .bind(0, KeyedGroups.request(key).name())
                .mapTo(Long.class)
                .one();
        return handle.createQuery("""
                        SELECT state, token::text, (extract(epoch FROM clock_timestamp() - updated_at) * 1000)::bigint
                        FROM idempotency_record WHERE operation = 'create-group' AND scope = 'user:ada' AND key_value = ?
                        """)
                .bind(0, key)
                .map((row, context) -> new RecordRow(
                        STATES.getOrDefault(row.getString(1), "unknown"),
                        row.getString(2).substring(0, 8),
                        row.getLong(3),
                        session.orElse("none"),
                        groups))
                .findOne()
                .orElseGet(() -> new RecordRow("none", "", 0, session.orElse("none"), groups));
    }

    /** Tells what is new since an earlier look. */
    void tell(RecordRow before, TimeLine line) {
        if (!state.equals(before.state) || !token.equals(before.token)) {
            line.add(Lane.RECORD, token.isEmpty() ? "no record" : state + ", token " + token);
        }
        if (groups != before.groups) {
            line.add(Lane.RECORD, groups == 1 ? "one group" : groups + " groups");
        }
    }
}
