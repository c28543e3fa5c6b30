package io.counterpoint.idempotency.jdbc.spi;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** The table of a dialect: its name, how it is created and what the server reports about it. */
public interface TableDescription {

    /** {@return the table that the statements use} */
    RecordTable table();

    /** {@return the file that contains the statements that create the table, for messages} */
    String schemaFile();

    /**
     * Returns the statements that create the table and its index if they are missing, separated by semicolons.
     *
     * @return the statements for {@link #table}
     */
    String schema();

    /**
     * Returns what the catalogue says about the table that the statements would use.
     *
     * @param connection any connection
     * @return the facts; empty if there is no such table
     * @throws SQLException if they cannot be read
     */
    Optional<TableFacts> facts(Connection connection) throws SQLException;
}
