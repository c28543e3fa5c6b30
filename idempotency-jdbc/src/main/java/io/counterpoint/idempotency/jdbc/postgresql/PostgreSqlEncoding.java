package io.counterpoint.idempotency.jdbc.postgresql;

import io.counterpoint.idempotency.jdbc.session.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Encodings of databases. In most of them there is no place for most characters: a failure with such a character would never
 * be recorded, and each retry would run the work again.
 */
final class PostgreSqlEncoding {

    /** The second has no encoding: it keeps the bytes that it gets. */
    private static final Set<String> COMPLETE = Set.of("UTF8", "SQL_ASCII");

    private PostgreSqlEncoding() {}

    /** What is wrong with the database's encoding. */
    static Optional<String> fault(Connection connection) throws SQLException {
        return fault(String.valueOf(Sql.single(connection, "SHOW server_encoding")));
    }

    private static Optional<String> fault(String encoding) {
        return COMPLETE.contains(encoding)
                ? Optional.empty()
                : Optional.of(
                        "the encoding of its database is " + encoding + ", which has no place for most characters of"
                                + " keys and failures: use a database that is created with ENCODING 'UTF8'");
    }

    /** Refuses such a database before a call. The driver may not know its encoding. */
    static void require(@Nullable String encoding) {
        Optional<String> fault = encoding == null ? Optional.empty() : fault(encoding);
        if (fault.isPresent()) {
            throw new IllegalStateException("The table cannot keep idempotency records: " + fault.get() + ".");
        }
    }
}
