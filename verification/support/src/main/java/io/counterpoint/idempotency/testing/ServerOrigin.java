package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Where the servers of one kind come from: the environment names one, the build has one, or this JVM starts them.
 * Servers started by this JVM end with it.
 */
final class ServerOrigin<L extends LocalServer, S extends DatabaseServer<L>> {

    private final String kind;
    private final String urlVariable;
    private final String settingOfBuild;
    private final BiFunction<List<String>, Optional<Build>, L> create;
    private final BiFunction<@Nullable L, JdbcUrl, S> wrap;
    private final Set<DatabaseServer<?>> open = ConcurrentHashMap.newKeySet();
    private final Queue<Runnable> beforeStop = new ConcurrentLinkedQueue<>();
    private @Nullable S shared;

    /**
     * Creates the origin of a kind of server.
     *
     * @param urlVariable the environment variable with the JDBC URL of a running server
     * @param settingOfBuild the setting of the build's server
     * @param create creates a server without starting it, from settings, for a build or for this JVM
     * @param wrap creates the object for tests from a server of this JVM, if any, and its URL
     */
    ServerOrigin(
            String kind,
            String urlVariable,
            String settingOfBuild,
            BiFunction<List<String>, Optional<Build>, L> create,
            BiFunction<@Nullable L, JdbcUrl, S> wrap) {
        this.kind = kind;
        this.urlVariable = urlVariable;
        this.settingOfBuild = settingOfBuild;
        this.create = create;
        this.wrap = wrap;
        Runtime.getRuntime().addShutdownHook(new Thread(this::stopAll, "stop " + kind));
    }

    private void stopAll() {
        beforeStop.forEach(Runnable::run);
        open.forEach(DatabaseServer::release);
    }

    void beforeStop(Runnable work) {
        beforeStop.add(work);
    }

    synchronized S shared() {
        S server = shared;
        if (server == null) {
            Optional<String> url =
                    isExternal() ? Optional.of(externalUrl()) : Build.current().map(this::urlIn);
            server = url.isPresent() ? opened(null, url.get()) : start();
            shared = server;
        }
        return server;
    }

    synchronized boolean isShared(DatabaseServer<?> server) {
        return server == shared;
    }

    private String urlIn(Build build) {
        try {
            return build.server(kind.toLowerCase(Locale.ROOT), () -> {
                L server = create.apply(List.of(settingOfBuild), Optional.of(build));
                server.start();
                return server.jdbcUrl();
            });
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start the build's " + kind + ": " + e.getMessage(), e);
        }
    }

    S start(String... settings) {
        refuseIfExternal("no server can be started while %s names one that runs already: unset it");
        return started(create.apply(List.of(settings), Optional.empty()));
    }

    /** Starts a server. */
    S started(L local) {
        try {
            local.start();
            return opened(local, local.jdbcUrl());
        } catch (RuntimeException e) {
            local.delete();
            throw e;
        }
    }

    private S opened(@Nullable L local, String url) {
        S server = wrap.apply(local, JdbcUrl.parse(url));
        open.add(server);
        return server;
    }

    /** Returns false if the server had already been forgotten. */
    boolean forget(DatabaseServer<?> server) {
        return open.remove(server);
    }

    boolean isExternal() {
        return !externalUrl().isEmpty();
    }

    /**
     * Rejects operations that need a server run by this JVM.
     *
     * @param message with a placeholder for the name of the environment variable
     */
    void refuseIfExternal(String message) {
        if (isExternal()) {
            throw new UnsupportedOperationException(message.formatted(urlVariable));
        }
    }

    private String externalUrl() {
        String url = System.getenv(urlVariable);
        return url == null ? "" : url.strip();
    }
}
