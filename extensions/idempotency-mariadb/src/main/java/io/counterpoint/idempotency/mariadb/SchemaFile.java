package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.jdbc.spi.RecordTable;

/** The files that users copy. */
final class SchemaFile {

    private SchemaFile() {}

    static String path(Server server) {
        return SchemaFile.class.getPackageName().replace('.', '/') + "/" + server.schemaFile();
    }

    static String script(Server server, RecordTable table) {
        return table.script(SchemaFile.class.getResourceAsStream(server.schemaFile()), server.schemaFile(), false);
    }
}
