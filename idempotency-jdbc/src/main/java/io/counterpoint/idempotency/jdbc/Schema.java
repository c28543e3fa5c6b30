package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import org.jdbi.v3.core.Handle;

/** Creates the table from the file that users copy. */
final class Schema {

    private Schema() {}

    static void create(Handle handle, Dialect dialect) {
        try {
            handle.createScript(dialect.schema()).execute();
            commit(handle, dialect);
        } catch (RuntimeException thrown) {
            // Two processes that create at once collide in the catalogue; what counts is what is there now.
            rollback(handle, thrown);
            try {
                TableCheck.check(handle.getConnection(), dialect);
            } catch (RuntimeException notThere) {
                notThere.addSuppressed(thrown);
                throw notThere;
            }
        }
    }

    /** Where a file of this library is found. */
    static String path(String name) {
        return Schema.class.getPackageName().replace('.', '/') + "/" + name;
    }

    /** A file's statements for a table. Some databases name an index with its schema when it is created. */
    static String script(String name, RecordTable table, boolean indexesAreQualified) {
        String index = table.name() + "_expires_at";
        return file(name)
                .replace("idempotency_record_expires_at", indexesAreQualified ? table.qualify(index) : index)
                .replace("idempotency_record (", table + " (");
    }

    private static String file(String name) {
        try (InputStream in = Schema.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("The file " + name + " is missing from this library's jar.");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void commit(Handle handle, Dialect dialect) {
        try {
            Connection connection = handle.getConnection();
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
        } catch (SQLException thrown) {
            throw StoreException.of("Could not create the table", dialect, handle.getConnection(), thrown);
        }
    }

    private static void rollback(Handle handle, RuntimeException because) {
        try {
            Connection connection = handle.getConnection();
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
        } catch (SQLException thrown) {
            because.addSuppressed(thrown);
        }
    }
}
