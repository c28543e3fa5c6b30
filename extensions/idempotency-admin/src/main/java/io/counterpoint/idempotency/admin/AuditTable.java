package io.counterpoint.idempotency.admin;

import io.counterpoint.idempotency.admin.Resolution.Answered;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * A table of resolutions: a row is committed before the record changes, and is completed with the outcome afterwards.
 * It contains the key's hash, but neither scope nor key. Its definition is in the files {@code audit-postgresql.sql},
 * {@code audit-h2.sql} and {@code audit-mariadb.sql} of this module: copy it into your migrations.
 */
public final class AuditTable implements AuditTrail {

    /** The name of the table in these files. */
    public static final String DEFAULT = "idempotency_audit";

    private final AdministeredDatabase database;

    private AuditTable(AdministeredDatabase database) {
        this.database = database;
    }

    /**
     * Returns an audit trail in a table.
     *
     * @param dataSource the data source
     * @param table the table's name, with or without a schema
     * @return the audit trail
     * @throws IllegalArgumentException if the name does not consist of plain identifiers
     */
    public static AuditTable of(DataSource dataSource, String table) {
        return new AuditTable(new AdministeredDatabase(dataSource, RecordTable.parse(table)));
    }

    /**
     * Returns the definition of the table for its database.
     *
     * @return SQL: the content of the file, with the table's name
     * @throws DatabaseException if the database does not respond
     */
    public String schema() {
        String file = "audit-" + database.product().file() + ".sql";
        try (InputStream in = Objects.requireNonNull(AuditTable.class.getResourceAsStream(file), file)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .replace(DEFAULT + " (", database.table() + " (");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Creates the table if it is missing. Use it for demonstrations and tests.
     *
     * @return this
     * @throws DatabaseException if the database rejects it
     */
    public AuditTable createIfMissing() {
        String schema = schema();
        database.change("Creating table " + database.table(), connection -> {
            try (Statement statement = connection.createStatement()) {
                return statement.execute(schema);
            }
        });
        return this;
    }

    @Override
    public void asked(Resolution resolution) {
        String sql = "INSERT INTO " + database.table()
                + " (id, asked_at, operator, reason, operation, key_hash, verdict) VALUES (?, "
                + database.product().now() + ", ?, ?, ?, ?, ?)";
        database.change("Nothing was changed: writing to table " + database.table(), connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setString(1, resolution.id().toString());
                statement.setString(2, resolution.operator());
                statement.setString(3, resolution.reason());
                statement.setString(4, resolution.operation());
                statement.setString(5, resolution.hash());
                statement.setString(6, resolution.verdict().toString());
                return statement.executeUpdate();
            }
        });
    }

    @Override
    public void answered(Answered answered) {
        String sql = "UPDATE " + database.table() + " SET outcome = ?, answered_at = "
                + database.product().now() + " WHERE id = ?";
        database.change("The attempt is resolved. Writing its outcome to table " + database.table(), connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setString(1, answered.outcome());
                statement.setString(2, answered.resolution().id().toString());
                return statement.executeUpdate();
            }
        });
    }
}
