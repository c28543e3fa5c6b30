package io.counterpoint.idempotency.examples.consumer;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** The domain: one row per payment. The table has no columns for the library and no unique constraint on payments. */
public final class Payments {

    private static final String TABLE = """
        CREATE TABLE IF NOT EXISTS payment (
            seq BIGSERIAL PRIMARY KEY,
            id TEXT NOT NULL,
            account TEXT NOT NULL,
            number BIGINT NOT NULL,
            cents BIGINT NOT NULL
        )\
        """;

    private static final String INSERT = "INSERT INTO payment (id, account, number, cents) VALUES (?, ?, ?, ?)";

    private Payments() {}

    /** Creates the table. */
    public static void createTable(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(TABLE);
        }
    }

    /**
     * Books payments in order.
     *
     * @throws IllegalArgumentException if an amount is not positive
     */
    public static void book(Connection connection, List<Payment> payments) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
            for (Payment payment : payments) {
                if (payment.cents() <= 0) {
                    throw new IllegalArgumentException("A payment must be positive, found " + payment.cents() + ".");
                }
                insert.setString(1, payment.id());
                insert.setString(2, payment.account());
                insert.setLong(3, payment.number());
                insert.setLong(4, payment.cents());
                insert.addBatch();
            }
            int[] unused = insert.executeBatch();
        }
    }
}
