package io.counterpoint.idempotency.inbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * Dead letters in the table {@code inbox_dead_letter} of PostgreSQL, H2, MariaDB or MySQL. Its SQL is in the resource
 * {@code dead-letter.sql} next to this class, or {@code dead-letter-mariadb.sql} for the last two. Other databases are
 * rejected before anything is sent. Thread-safe.
 *
 * @param <C> the handle of the transaction
 */
public final class DeadLetterTable<C> implements DeadLetters<C> {

    private final Function<? super C, Connection> connection;

    private DeadLetterTable(Function<? super C, Connection> connection) {
        this.connection = connection;
    }

    /**
     * Returns the table, accessed through a handle.
     *
     * @param <C> the handle of the transaction
     * @param connection returns the handle's connection, such as {@code Handle::getConnection}
     * @return the table
     */
    public static <C> DeadLetterTable<C> through(Function<? super C, Connection> connection) {
        return new DeadLetterTable<>(connection);
    }

    /**
     * Creates the table if it is missing. With a migration tool, run the file instead.
     *
     * @param connection a connection with the privilege to create tables
     * @throws SQLException if the database rejects it
     */
    public static void createIfMissing(Connection connection) throws SQLException {
        try (InputStream in = Objects.requireNonNull(DeadLetterTable.class.getResourceAsStream(file(connection)));
                Statement statement = connection.createStatement()) {
            statement.execute(new String(in.readAllBytes(), UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String file(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        return switch (product) {
            case "PostgreSQL", "H2" -> "dead-letter.sql";
            case "MariaDB", "MySQL" -> "dead-letter-mariadb.sql";
            default ->
                throw new IllegalStateException(
                        "dead letters can be stored in PostgreSQL, H2, MariaDB and MySQL, but the connection leads to "
                                + product + "; implement DeadLetters for it");
        };
    }

    @Override
    public void store(C handle, DeadLetter letter) throws SQLException {
        Connection lent = connection.apply(handle);
        String unused = file(lent);
        if (isStored(lent, letter)) {
            return;
        }
        try (PreparedStatement insert = lent.prepareStatement("INSERT INTO inbox_dead_letter"
                + " (id, inbox, reason, error, origin, message_identity, content) VALUES (?, ?, ?, ?, ?, ?, ?)")) {
            insert.setString(1, letter.id());
            insert.setString(2, letter.inbox());
            insert.setString(3, letter.reason().name());
            insert.setString(4, letter.error());
            insert.setString(5, letter.origin());
            insert.setString(6, letter.identity().orElse(null));
            insert.setBytes(7, letter.content());
            insert.executeUpdate();
        }
    }

    /** Checks by storing a letter. */
    @Override
    public void check(C handle) throws SQLException {
        String id = UUID.randomUUID().toString();
        store(handle, new DeadLetter(id, "check", DeadLetter.Reason.POISON, "", "", Optional.empty(), new byte[0]));
    }

    private static boolean isStored(Connection connection, DeadLetter letter) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("SELECT 1 FROM inbox_dead_letter WHERE id = ?")) {
            select.setString(1, letter.id());
            try (ResultSet rows = select.executeQuery()) {
                return rows.next();
            }
        }
    }
}
