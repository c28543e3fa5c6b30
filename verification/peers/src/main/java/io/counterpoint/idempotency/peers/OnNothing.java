package io.counterpoint.idempotency.peers;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** No library: what the faults do to an unprotected transaction. */
record OnNothing(DataSource dataSource, Work work) implements UseCase {

    @Override
    public Answer book(String key, String request) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            String payment = work.book(connection, key, request);
            connection.commit();
            return Answer.booked(payment);
        }
    }
}
