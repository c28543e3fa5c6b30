package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The files that users copy. */
final class SchemaFile {

    private SchemaFile() {}

    static String path(Server server) {
        return SchemaFile.class.getPackageName().replace('.', '/') + "/" + server.schemaFile();
    }

    static String script(Server server, RecordTable table) {
        return text(server.schemaFile())
                .replace("idempotency_record_expires_at", table.name() + "_expires_at")
                .replace("idempotency_record (", table + " (");
    }

    private static String text(String name) {
        try (InputStream in = SchemaFile.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("The file " + name + " is missing from this library's jar.");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
