package io.counterpoint.idempotency.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Wrapper;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What a connection reveals about itself on any database: whether it accepts writes, and who commits them. */
final class ConnectionCheck {

    /** Deeper than any data source nests. Unwrapping may return a different object every time. */
    private static final int DEEPEST = 16;

    private static final String OF_SEATA =
            "the connection belongs to Seata, whose global transaction rolls back what its sessions have committed and returned:"
                    + " give the store a data source of the database itself";

    /** Packages of connections that end transactions differently from their database. */
    private static final Map<String, String> UNFIT = Map.of(
            "org.apache.shardingsphere.",
            "the connection belongs to ShardingSphere, which commits each database separately, so an effect could be committed"
                    + " without its record: give the store a data source of the database itself, or one per database"
                    + " with idempotency-sharding",
            "org.apache.seata.",
            OF_SEATA,
            "io.seata.",
            OF_SEATA);

    private ConnectionCheck() {}

    /** Names the product behind a connection with which no database could keep the promises. */
    static Optional<String> foreigner(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            // A proxy that does not unwrap still returns statements of the connection behind it.
            return Stream.concat(classes(connection, Connection.class), classes(statement, Statement.class))
                    .flatMap(name -> UNFIT.entrySet().stream()
                            .filter(unfit -> name.startsWith(unfit.getKey()))
                            .map(Map.Entry::getValue))
                    .findFirst();
        }
    }

    private static Stream<String> classes(Wrapper outermost, Class<? extends Wrapper> type) {
        return Stream.iterate(Optional.of(outermost), Optional::isPresent, outer -> inside(outer.get(), type))
                .limit(DEEPEST)
                .map(wrapper -> wrapper.get().getClass().getName());
    }

    private static Optional<Wrapper> inside(Wrapper outer, Class<? extends Wrapper> type) {
        try {
            return Optional.<Wrapper>ofNullable(outer.unwrap(type)).filter(Predicate.not(inner -> inner == outer));
        } catch (SQLException nothing) {
            return Optional.empty();
        }
    }

    /**
     * Returns what is wrong with a connection that itself rejects writes. Servers that reject writes are detected from
     * their catalogues.
     */
    static List<String> faults(Connection connection) throws SQLException {
        return Stream.concat(
                        foreigner(connection).stream(),
                        connection.isReadOnly()
                                ? Stream.of(
                                        "the connection is read-only, so no claim can be stored: remove readOnly from"
                                                + " the pool, and connect to the primary")
                                : Stream.empty())
                .toList();
    }
}
