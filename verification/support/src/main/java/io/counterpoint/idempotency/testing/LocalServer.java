package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;

/** A database server run by this JVM, with its data. */
abstract class LocalServer {

    final Daemon daemon;
    final Path data;
    private final String jdbcUrl;
    private final String timeouts;

    /**
     * A server at a JDBC URL.
     *
     * @param timeouts URL options that limit the waits of a connection that only checks whether the server is ready
     */
    LocalServer(Daemon daemon, String jdbcUrl, String timeouts) {
        this.daemon = daemon;
        this.data = daemon.folder().resolve("data");
        this.jdbcUrl = jdbcUrl;
        this.timeouts = timeouts;
    }

    interface Making<L> {
        L make(WorkFolder workFolder) throws IOException;
    }

    interface Filling<L> {
        void fill(L server) throws IOException;
    }

    /** Creates a server with a data folder, without starting it. */
    static <L extends LocalServer> L make(String name, Making<L> making, Filling<L> filling) {
        try {
            L server = making.make(WorkFolder.open());
            try {
                filling.fill(server);
            } catch (IOException | RuntimeException e) {
                server.delete();
                throw e;
            }
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make a " + name + " server: " + e.getMessage(), e);
        }
    }

    String jdbcUrl() {
        return jdbcUrl;
    }

    abstract List<String> command();

    void start() {
        daemon.start(command(), jdbcUrl + timeouts);
    }

    /** Stops the server with a signal and waits until it is gone. Does nothing if it is not running. */
    void stop(String signal) {
        daemon.stop(signal);
    }

    /** Stops the server immediately and deletes its data. */
    void delete() {
        daemon.delete();
    }
}
