package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The folder in {@code java.io.tmpdir} that all JVMs of one user share: it contains unpacked binaries, and one folder
 * for each running server.
 *
 * <p>It is not in the home folder, because the user that a server runs as (see {@link ServerUser}) may not be able to
 * enter that.
 */
final class WorkFolder {

    private static final String INSTANCE_PREFIX = "server-";

    /**
     * The locks that this JVM holds. They must never be tried, because closing any other channel on such a file would
     * release its lock.
     */
    private static final Set<Path> OWN_INSTANCES = new HashSet<>();

    private final Path root;

    private WorkFolder(Path root) {
        this.root = root;
    }

    static WorkFolder open() throws IOException {
        String user = System.getProperty("user.name", "unknown").replaceAll("[^A-Za-z0-9._-]", "_");
        Path root = Path.of(System.getProperty("java.io.tmpdir"), "idempotency-postgres-" + user)
                .toAbsolutePath();
        Files.createDirectories(root);
        // Programs are run from here, and another user may have created a folder with this name in a public place.
        Path mine = Files.createTempFile(root, "owner", null);
        try {
            if (!Files.getOwner(root).equals(Files.getOwner(mine))) {
                throw new IOException("refusing to use " + root + ": it belongs to " + Files.getOwner(root));
            }
        } finally {
            Files.delete(mine);
        }
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
        return new WorkFolder(root);
    }

    Path resolve(String name) {
        return root.resolve(name);
    }

    /** Runs a piece of work while no other thread and no other JVM of this user runs one. */
    <T extends @Nullable Object> T exclusively(Callable<T> work) throws IOException {
        synchronized (OWN_INSTANCES) {
            try (FileChannel channel = openLock(root.resolve("lock"))) {
                channel.lock();
                return work.call();
            } catch (IOException | RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IOException(e);
            }
        }
    }

    /** Creates an empty folder for one server, and deletes what killed JVMs have left behind. */
    Instance newInstance() throws IOException {
        for (Instance abandoned : exclusively(this::takeAbandonedInstances)) {
            abandoned.delete();
        }
        return exclusively(() -> {
            Path folder = Files.createTempDirectory(
                    root, INSTANCE_PREFIX + ProcessHandle.current().pid() + "-");
            FileChannel lock = openLock(lockOf(folder));
            lock.lock();
            return own(folder, lock);
        });
    }

    /** Creates an empty folder for a build's server, and deletes what builds that have ended left behind. */
    Instance newInstance(Build build, String kind) throws IOException {
        exclusively(() -> {
            try (var folders = Files.newDirectoryStream(root, Build::hasEnded)) {
                for (Path ended : folders) {
                    delete(ended);
                }
            }
            return null;
        });
        Path folder = Files.createDirectory(build.folder(this).resolve(kind));
        return new Instance(this, folder, openLock(lockOf(folder)));
    }

    /** Takes them over, so that no other JVM deletes them too. */
    private List<Instance> takeAbandonedInstances() throws IOException {
        List<Instance> taken = new ArrayList<>();
        try (var folders = Files.newDirectoryStream(root, INSTANCE_PREFIX + "*")) {
            for (Path folder : folders) {
                if (!OWN_INSTANCES.contains(folder)) {
                    FileChannel lock = openLock(lockOf(folder));
                    if (lock.tryLock() == null) {
                        lock.close();
                    } else {
                        taken.add(own(folder, lock));
                    }
                }
            }
        }
        return taken;
    }

    private Instance own(Path folder, FileChannel lock) {
        OWN_INSTANCES.add(folder);
        return new Instance(this, folder, lock);
    }

    private static Path lockOf(Path folder) {
        return folder.resolve("lock");
    }

    private static FileChannel openLock(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    /** Deletes a tree, even if another process is still writing to it or deleting from it for a moment. */
    static void delete(Path tree) throws IOException {
        for (int attempt = 1; Files.exists(tree); attempt++) {
            try {
                Files.walkFileTree(tree, new DeletingVisitor());
            } catch (DirectoryNotEmptyException e) {
                if (attempt == 100) {
                    throw e;
                }
            }
        }
    }

    /** The folder of one server, which belongs to this JVM for as long as it lives. */
    record Instance(WorkFolder workFolder, Path folder, FileChannel lock) {

        /**
         * Deletes the files without holding up others, since there may be many. Only the lock file is deleted
         * exclusively: without it, a half-deleted folder looks abandoned to other JVMs.
         */
        void delete() throws IOException {
            try (var entries = Files.newDirectoryStream(folder, entry -> !entry.equals(lockOf(folder)))) {
                for (Path entry : entries) {
                    WorkFolder.delete(entry);
                }
            }
            workFolder.exclusively(() -> {
                try (lock) {
                    WorkFolder.delete(folder);
                }
                return OWN_INSTANCES.remove(folder);
            });
        }
    }

    private static final class DeletingVisitor extends SimpleFileVisitor<Path> {

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
            if (failure instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            throw failure;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failure) throws IOException {
            if (failure != null) {
                throw failure;
            }
            Files.deleteIfExists(folder);
            return FileVisitResult.CONTINUE;
        }
    }
}
