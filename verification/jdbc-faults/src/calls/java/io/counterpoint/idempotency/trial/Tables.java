package io.counterpoint.idempotency.trial;

import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The tables as another connection sees them. */
final class Tables implements AutoCloseable {

    /**
     * The record, if there is one, and a row for each effect. No table is derived in it: H2 keeps the plan of each one until
     * its session ends, and searches among them all. A key that is asked for alone is not read: MariaDB takes no union of
     * columns with two collations.
     */
    private static final String FIND = """
            SELECT %2$s, state, payload, NULL
            FROM idempotency_record WHERE scope = 'user:1' AND operation = 'call' AND key_value %1$s
            UNION ALL SELECT %3$s, NULL, NULL, result FROM call_effect WHERE id %1$s""";

    private final Connection connection;
    private final PreparedStatement find;
    private final PreparedStatement findAll;
    private final PreparedStatement write;

    Tables(TestedDatabase database) throws SQLException {
        connection = database.connect();
        database.planOnce(connection);
        find = connection.prepareStatement(FIND.formatted("= ?", "NULL", "NULL"));
        findAll =
                database.findsMany ? connection.prepareStatement(FIND.formatted("= ANY (?)", "key_value", "id")) : null;
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

        private Found with(String state, Optional<String> its) {
            return new Found(state, its, effects);
        }

        private Found with(String effect) {
            return new Found(
                    record,
                    payload,
                    Stream.concat(effects.stream(), Stream.of(effect)).toList());
        }
    }

    Found of(String key) throws SQLException {
        find.setString(1, key);
        find.setString(2, key);
        Map<String, Found> found = new HashMap<>();
        read(find, key, found);
        return found.getOrDefault(key, Found.NOTHING);
    }

    /** The keys of which nothing is there are left out. */
    Map<String, Found> of(List<String> keys) throws SQLException {
        Map<String, Found> found = new HashMap<>();
        if (findAll == null || keys.size() == 1) {
            for (String key : keys) {
                found.put(key, of(key));
            }
        } else {
            Array all = connection.createArrayOf("varchar", keys.toArray());
            findAll.setArray(1, all);
            findAll.setArray(2, all);
            read(findAll, null, found);
        }
        return found;
    }

    private static void read(PreparedStatement statement, String asked, Map<String, Found> found) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                String key = asked == null ? rows.getString(1) : asked;
                Found before = found.getOrDefault(key, Found.NOTHING);
                String effect = rows.getString(4);
                found.put(
                        key,
                        effect != null
                                ? before.with(effect)
                                : before.with(
                                        rows.getString(2),
                                        Optional.ofNullable(rows.getBytes(3))
                                                .map(bytes -> new String(bytes, StandardCharsets.UTF_8))));
            }
        }
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
