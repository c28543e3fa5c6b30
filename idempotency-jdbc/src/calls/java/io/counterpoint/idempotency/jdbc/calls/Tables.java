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

    private final Connection connection;
    private final PreparedStatement record;
    private final PreparedStatement effects;
    private final PreparedStatement write;

    Tables(TestedDatabase database) throws SQLException {
        connection = database.connect();
        record = connection.prepareStatement("SELECT state, payload FROM idempotency_record"
                + " WHERE scope = 'user:1' AND operation = 'call' AND key_value = ?");
        effects = connection.prepareStatement(Domain.FIND);
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
        boolean is(String state, int howMany) {
            return record.equals(state) && effects.size() == howMany;
        }
    }

    Found of(String key) throws SQLException {
        String state = "-";
        Optional<String> payload = Optional.empty();
        record.setString(1, key);
        try (ResultSet rows = record.executeQuery()) {
            if (rows.next()) {
                state = rows.getString(1);
                payload = Optional.ofNullable(rows.getBytes(2)).map(bytes -> new String(bytes, StandardCharsets.UTF_8));
            }
        }
        return new Found(state, payload, effectsOf(key));
    }

    List<String> effectsOf(String key) throws SQLException {
        List<String> found = new ArrayList<>();
        effects.setString(1, key);
        try (ResultSet rows = effects.executeQuery()) {
            while (rows.next()) {
                found.add(rows.getString(1));
            }
        }
        return found;
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
