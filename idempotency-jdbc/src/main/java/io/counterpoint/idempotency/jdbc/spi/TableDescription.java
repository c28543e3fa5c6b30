package io.counterpoint.idempotency.jdbc.spi;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** A dialect's table: its name, how it is created, and what the server reports about it. */
public interface TableDescription {

    /** {@return the table of the statements} */
    RecordTable table();

    /** {@return the file in which users find the statements that create the table, for messages} */
    String schemaFile();

    /**
     * The statements that create the table and its index if they are missing, separated by semicolons.
     *
     * @return their text, for {@link #table}
     */
    String schema();

    /**
     * Returns the catalogue's facts about the table that the statements would use.
     *
     * @param connection any connection
     * @return the facts; empty if there is no such table
     * @throws SQLException if they cannot be read
     */
    Optional<TableFacts> facts(Connection connection) throws SQLException;
}
