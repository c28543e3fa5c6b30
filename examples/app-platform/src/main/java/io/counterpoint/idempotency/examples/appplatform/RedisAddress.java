package io.counterpoint.idempotency.examples.appplatform;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.programs.CannotRun;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.util.Map;
import java.util.Optional;

/**
 * Where a server of the Redis protocol is, and who connects to it.
 *
 * @param url all of it, as it was given
 * @param user empty for the server's default user
 * @param password empty if the server wants none
 */
record RedisAddress(String url, String host, int port, int database, String user, String password) {

    /** The variable that holds the URL: everybody on the machine can read arguments. */
    static final String VARIABLE = "APP_PLATFORM_REDIS_URL";

    private static final int USUAL_PORT = 6379;

    /**
     * Reads {@code redis://user:password@host:port/database}, where all but the host may be missing.
     *
     * @throws CannotRun for any other text, which is not repeated since it may hold a password
     */
    static RedisAddress parse(String url) throws CannotRun {
        URI uri;
        try {
            uri = new URI(url);
        } catch (URISyntaxException e) {
            throw wrong("it is no URL");
        }
        if (!"redis".equals(uri.getScheme())) {
            throw wrong("it does not begin with redis://");
        }
        if (uri.getHost() == null) {
            throw wrong("it has no host, or a port that is no number");
        }
        if (uri.getPort() == 0 || uri.getPort() > 65_535) {
            throw wrong("its port is not from 1 to 65535");
        }
        if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
            throw wrong("it has options");
        }
        if (!uri.getRawPath().matches("|/|/[0-9]{1,4}")) {
            throw wrong("its database is no number");
        }
        String who = Optional.ofNullable(uri.getRawUserInfo()).orElse(":");
        int colon = who.indexOf(':');
        if (colon < 0) {
            throw wrong("it has a user without a password");
        }
        String database = uri.getRawPath().replace("/", "");
        return new RedisAddress(
                url,
                uri.getHost(),
                uri.getPort() < 0 ? USUAL_PORT : uri.getPort(),
                database.isEmpty() ? 0 : Integer.parseInt(database),
                decoded(who.substring(0, colon)),
                decoded(who.substring(colon + 1)));
    }

    private static CannotRun wrong(String why) {
        return new CannotRun(
                "The URL of Redis has to be redis://user:password@host:port/database, where all but the host"
                        + " may be missing: " + why + ".");
    }

    private static String decoded(String part) {
        return URLDecoder.decode(part.replace("+", "%2B"), UTF_8);
    }

    /** What {@link #into} has put there. */
    static Optional<RedisAddress> from(Map<String, String> environment) throws CannotRun {
        String url = environment.getOrDefault(VARIABLE, "");
        return url.isEmpty() ? Optional.empty() : Optional.of(parse(url));
    }

    /** Puts an address into the environment of a process to start, or that there is none. */
    static void into(Map<String, String> environment, Optional<RedisAddress> address) {
        environment.put(VARIABLE, address.map(RedisAddress::url).orElse(""));
    }

    /** Without user and password. */
    @Override
    public String toString() {
        return "redis://" + host + ":" + port + "/" + database;
    }
}
