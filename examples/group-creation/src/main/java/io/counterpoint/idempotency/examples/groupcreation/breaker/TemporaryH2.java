package io.counterpoint.idempotency.examples.groupcreation.breaker;

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
 * H2 databases in a temporary folder, which is deleted in the end.
 *
 * <p>{@code WRITE_DELAY=0} makes a commit durable before it is acknowledged; by default H2 loses the commits of the last
 * half second when its process is killed. {@code DB_CLOSE_ON_EXIT=FALSE}: after Ctrl-C there is still something to count.
 *
 * <p>An H2 file belongs to one process. Others reach it through a server in this one, which outlives them as a database
 * server does. Not through {@code AUTO_SERVER}: that hands the file to whichever process is there, and insists on
 * closing the database on exit.
 */
final class TemporaryH2 implements AutoCloseable {

    private static final String DURABLE = ";WRITE_DELAY=0";

    private final Path folder;
    private final String password = UUID.randomUUID().toString();
    private @Nullable Server server;

    TemporaryH2() throws CannotRun {
        try {
            folder = Files.createTempDirectory("group-creation-");
        } catch (IOException e) {
            throw new CannotRun("Cannot make a temporary folder for H2: " + CannotRun.rootMessage(e) + ".");
        }
    }

    /** For this process. */
    Database.Address embedded(String name) {
        return address("file:" + folder.resolve(name) + DURABLE + ";DB_CLOSE_ON_EXIT=FALSE");
    }

    /** The same database for other processes, as long as this one has it open. */
    Database.Address served(String name) throws CannotRun {
        try {
            if (server == null) {
                // Nobody but this machine may connect.
                System.setProperty("h2.bindAddress", "127.0.0.1");
                server = Server.createTcpServer("-tcpPort", "0", "-tcpDaemon", "-baseDir", folder.toString());
                server.start();
            }
            return address("tcp://127.0.0.1:" + server.getPort() + "/" + name + DURABLE);
        } catch (SQLException e) {
            throw new CannotRun("Cannot start a server for H2: " + CannotRun.rootMessage(e) + ".");
        }
    }

    private Database.Address address(String url) {
        return new Database.Address("jdbc:h2:" + url, "sa", password, "");
    }

    @Override
    public void close() {
        if (server != null) {
            server.stop();
        }
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
