package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The folder of a server's programs: the one named in the environment, or one into which a jar was unpacked. */
record ServerHome(Path folder, boolean isUnpacked) {

    private static final Set<PosixFilePermission> READABLE = PosixFilePermissions.fromString("rw-r--r--");
    private static final Set<PosixFilePermission> EXECUTABLE = PosixFilePermissions.fromString("rwxr-xr-x");

    /** A jar on the class path. */
    interface Jar {
        Path unpackedIn(WorkFolder workFolder) throws IOException;
    }

    interface Unpacking {
        void into(Path folder) throws IOException;
    }

    /**
     * Finds a server's programs.
     *
     * @param variable the environment variable or system property
     * @param program a file that the folder must contain
     */
    static ServerHome find(String variable, String program, WorkFolder workFolder, Jar jar) throws IOException {
        Optional<String> chosen = chosen(variable);
        boolean isUnpacked = chosen.isEmpty();
        Path folder =
                isUnpacked ? jar.unpackedIn(workFolder) : Path.of(chosen.get()).toAbsolutePath();
        if (!Files.isExecutable(folder.resolve(program))) {
            throw new IOException("no program " + program + " in " + folder
                    + ", which is not the home of a server; look at the environment variable " + variable);
        }
        return new ServerHome(folder, isUnpacked);
    }

    /** The folder named in the environment or in a system property. */
    static Optional<String> chosen(String variable) {
        return Optional.ofNullable(System.getProperty(variable, System.getenv(variable)))
                .filter(name -> !name.isBlank());
    }

    /** Where to store the data of a server that has never been started, if these programs were unpacked from a jar. */
    Optional<Path> template() {
        return isUnpacked ? Optional.of(folder.resolveSibling(folder.getFileName() + "-data")) : Optional.empty();
    }

    String resolve(String file) {
        return folder.resolve(file).toString();
    }

    /** Returns a named folder into which this JVM or another one has unpacked. */
    static Path unpacked(WorkFolder workFolder, String name, Unpacking unpacking) throws IOException {
        Path target = workFolder.resolve(name);
        if (!Files.exists(target)) {
            workFolder.exclusively(() -> unpackUnlessDone(target, unpacking));
        }
        return target;
    }

    /** Unpacks beside the target and renames, so that the target folder is always complete. */
    private static @Nullable Void unpackUnlessDone(Path target, Unpacking unpacking) throws IOException {
        if (!Files.exists(target)) {
            Path partial = target.resolveSibling(target.getFileName() + ".partial");
            WorkFolder.delete(partial);
            unpacking.into(partial);
            Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE);
        }
        return null;
    }

    /**
     * Sets permissions instead of relying on the umask, because the server runs as another user if this process is
     * root.
     */
    static void copy(InputStream from, Path file, boolean isExecutable) throws IOException {
        createFolder(file.getParent());
        Files.copy(from, file);
        Files.setPosixFilePermissions(file, isExecutable ? EXECUTABLE : READABLE);
    }

    /** The same for a folder and its parents. */
    static void createFolder(@Nullable Path folder) throws IOException {
        if (folder != null && !Files.isDirectory(folder)) {
            createFolder(folder.getParent());
            Files.createDirectory(folder);
            Files.setPosixFilePermissions(folder, EXECUTABLE);
        }
    }
}
