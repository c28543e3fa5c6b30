package io.counterpoint.idempotency.jdbc.calls;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The tables as another connection sees them. */
final class Tables implements AutoCloseable {

    /**
     * The record, if there is one, and a row for each effect. No table is derived in it: H2 keeps the plan of each one until
     * its session ends, and searches among them all.
     */
    private static final String FIND = """
            SELECT state, payload, NULL
            FROM idempotency_record WHERE scope = 'user:1' AND operation = 'call' AND key_value = ?
            UNION ALL SELECT NULL, NULL, result FROM call_effect WHERE id = ?""";

    private final Connection connection;
    private final PreparedStatement find;
    private final PreparedStatement write;

    Tables(TestedDatabase database) throws SQLException {
        connection = database.connect();
        database.planOnce(connection);
        find = connection.prepareStatement(FIND);
        write = connection.prepareStatement(Domain.INSERT);
    }

    /**
     * What is there for a key.
     *
     * @param record P, S or F, or - where there is none
     * @param payload the stored result or plan
     * @param effects the results of the effects
     */
    record Found(String record, Optional<String> payload, List<String> effects) {
        static final Found NOTHING = new Found("-", Optional.empty(), List.of());

        boolean is(String state, int howMany) {
            return record.equals(state) && effects.size() == howMany;
        }
    }

    Found of(String key) throws SQLException {
        String state = "-";
        Optional<String> payload = Optional.empty();
        List<String> effects = new ArrayList<>();
        find.setString(1, key);
        find.setString(2, key);
        try (ResultSet rows = find.executeQuery()) {
            while (rows.next()) {
                Optional<String> effect = Optional.ofNullable(rows.getString(3));
                effect.ifPresent(effects::add);
                if (effect.isEmpty()) {
                    state = rows.getString(1);
                    payload = Optional.ofNullable(rows.getBytes(2))
                            .map(bytes -> new String(bytes, StandardCharsets.UTF_8));
                }
            }
        }
        return new Found(state, payload, effects);
    }

    List<String> effectsOf(String key) throws SQLException {
        return of(key).effects();
    }

    void write(String key, String result) throws SQLException {
        write.setString(1, key);
        write.setString(2, result);
        write.executeUpdate();
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
