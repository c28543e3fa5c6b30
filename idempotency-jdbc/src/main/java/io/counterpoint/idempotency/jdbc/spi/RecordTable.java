package io.counterpoint.idempotency.jdbc.spi;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The name of the records' table, validated because an identifier cannot be bound.
 *
 * @param schema its schema; empty if it is resolved by the connection's settings
 * @param name its name
 */
public record RecordTable(String schema, String name) {

    private static final String IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]{0,47}";
    private static final Pattern NAME = Pattern.compile("(?:(" + IDENTIFIER + ")\\.)?(" + IDENTIFIER + ")");

    // Must follow the pattern that validates it.
    /** {@code idempotency_record}, resolved by the connection's settings. */
    public static final RecordTable DEFAULT = new RecordTable("", "idempotency_record");

    /**
     * Validates the names.
     *
     * @param schema its schema; empty if it is resolved by the connection's settings
     * @param name its name
     * @throws IllegalArgumentException if they are not plain identifiers of at most 48 characters
     */
    public RecordTable {
        String text = schema.isEmpty() ? name : schema + "." + name;
        if (!NAME.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "A table name must be a letter or underscore and up to 47 more letters, digits or underscores,"
                            + " with or without a schema, found " + text.length() + " other characters.");
        }
    }

    /**
     * Parses a name.
     *
     * @param text the table's name, optionally preceded by a schema and a dot
     * @return the table
     * @throws IllegalArgumentException if it does not consist of plain identifiers of at most 48 characters
     */
    public static RecordTable parse(String text) {
        int dot = text.indexOf('.');
        return dot <= 0 ? new RecordTable("", text) : new RecordTable(text.substring(0, dot), text.substring(dot + 1));
    }

    /**
     * Qualifies a name with the schema of the table.
     *
     * @param other the name, such as that of an index
     * @return the name, preceded by the schema if there is one
     */
    public String qualify(String other) {
        return schema.isEmpty() ? other : schema + "." + other;
    }

    /**
     * Returns the statements of a file that users copy, adapted to this table.
     *
     * @param file the file, opened by a class of its own module
     * @param name its name, for messages
     * @param indexesAreQualified whether the database requires the schema of an index when it is created
     * @return the statements
     * @throws IllegalStateException if the file is missing
     */
    public String script(@Nullable InputStream file, String name, boolean indexesAreQualified) {
        if (file == null) {
            throw new IllegalStateException("The file " + name + " is missing from this library's jar.");
        }
        String index = this.name + "_expires_at";
        try (file) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .replace("idempotency_record_expires_at", indexesAreQualified ? qualify(index) : index)
                    .replace("idempotency_record (", this + " (");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The name as used in statements. */
    @Override
    public String toString() {
        return qualify(name);
    }
}
