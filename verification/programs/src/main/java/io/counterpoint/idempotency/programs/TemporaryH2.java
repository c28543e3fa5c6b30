package io.counterpoint.idempotency.programs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.h2.tools.Server;
import org.jspecify.annotations.Nullable;

/**
 * H2 databases, in memory or in a temporary folder, that are deleted when this is closed.
 *
 * <p>They belong to one process. Other processes connect to a server in this process, which outlives them, as a
 * database server would. {@code AUTO_SERVER} would not do: it passes the file to any process that is left, and requires
 * closing the database on exit.
 */
public final class TemporaryH2 implements AutoCloseable {

    private final @Nullable Path folder;
    private final String id = UUID.randomUUID().toString();
    private final String password = UUID.randomUUID().toString();
    private @Nullable Server server;

    private TemporaryH2(@Nullable Path folder) {
        this.folder = folder;
    }

    /** In this process's memory. */
    public static TemporaryH2 inMemory() {
        return new TemporaryH2(null);
    }

    /**
     * In a temporary folder, which is deleted at the end.
     *
     * @param prefix the prefix of its name
     * @throws CannotRun if the folder cannot be created
     */
    public static TemporaryH2 inFolder(String prefix) throws CannotRun {
        try {
            return new TemporaryH2(Files.createTempDirectory(prefix));
        } catch (IOException e) {
            throw new CannotRun("Cannot make a temporary folder for H2: " + CannotRun.rootMessage(e) + ".");
        }
    }

    /**
     * The address for this process. In a folder, it has {@code DB_CLOSE_ON_EXIT=FALSE}, so the database can still be
     * verified after Ctrl-C.
     */
    public DatabaseAddress here(String name) {
        return folder == null
                ? address(inMemoryOf(name))
                : address("file:" + folder.resolve(name) + durable() + ";DB_CLOSE_ON_EXIT=FALSE");
    }

    /**
     * The address of the same database for other processes, while this one has it open.
     *
     * @throws CannotRun if no server can be started
     */
    public DatabaseAddress remote(String name) throws CannotRun {
        String at = "tcp://127.0.0.1:" + served().getPort() + "/";
        return address(at + (folder == null ? inMemoryOf(name) : name + durable()));
    }

    private String inMemoryOf(String name) {
        return "mem:" + name + "-" + id + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000";
    }

    /**
     * Makes commits durable before they are acknowledged. By default, H2 loses the commits of the last half second when
     * its process is killed.
     */
    private static String durable() {
        return ";WRITE_DELAY=0";
    }

    private DatabaseAddress address(String url) {
        return new DatabaseAddress("jdbc:h2:" + url, "sa", password);
    }

    private Server served() throws CannotRun {
        Server running = server;
        if (running == null) {
            // Only this machine may connect.
            System.setProperty("h2.bindAddress", "127.0.0.1");
            try {
                running = folder == null
                        ? Server.createTcpServer("-tcpPort", "0", "-tcpDaemon")
                        : Server.createTcpServer("-tcpPort", "0", "-tcpDaemon", "-baseDir", folder.toString());
                running.start();
            } catch (SQLException e) {
                throw new CannotRun("Cannot start a server for H2: " + CannotRun.rootMessage(e) + ".");
            }
            server = running;
        }
        return running;
    }

    @Override
    public void close() {
        if (server != null) {
            server.stop();
        }
        if (folder != null) {
            delete(folder);
        }
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : deepestFirst) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
