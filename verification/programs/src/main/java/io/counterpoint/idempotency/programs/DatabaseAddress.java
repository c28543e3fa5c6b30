package io.counterpoint.idempotency.programs;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The address of a database, with its credentials.
 *
 * @param user the database user; empty if the URL contains one
 * @param schema the schema to use; empty for the database's default
 */
public record DatabaseAddress(String url, String user, String password, String schema) {

    private static final String POSTGRESQL = "jdbc:postgresql:";
    private static final String MARIADB = "jdbc:mariadb:";

    /** Uses the database's default schema. */
    public DatabaseAddress(String url, String user, String password) {
        this(url, user, password, "");
    }

    /**
     * Rejects the URL of any database but PostgreSQL.
     *
     * @throws CannotRun if the URL is rejected
     */
    public static void requirePostgreSql(String url) throws CannotRun {
        if (!url.startsWith(POSTGRESQL)) {
            throw new CannotRun("A URL must begin with " + POSTGRESQL + ", found " + url + ".");
        }
    }

    /**
     * Rejects the URL of any database but PostgreSQL and MariaDB.
     *
     * @throws CannotRun if the URL is rejected
     */
    public static void requirePostgreSqlOrMariaDb(String url) throws CannotRun {
        if (!url.startsWith(POSTGRESQL) && !isMariaDb(url)) {
            throw new CannotRun("A URL must begin with " + POSTGRESQL + " or " + MARIADB + ", found " + url + ".");
        }
    }

    /** The product name for the URL of one of these two databases. */
    public static String productOf(String url) {
        return isMariaDb(url) ? "MariaDB" : "PostgreSQL";
    }

    /** Whether a URL is one of MariaDB's. */
    public static boolean isMariaDb(String url) {
        return url.startsWith(MARIADB);
    }

    /** Whether the database is MariaDB. */
    public boolean isMariaDb() {
        return isMariaDb(url);
    }

    /** Whether the database is PostgreSQL. */
    public boolean isPostgreSql() {
        return url.startsWith(POSTGRESQL);
    }

    /**
     * Connects.
     *
     * @param settings configures the pool, apart from the address
     * @throws CannotRun if that fails
     */
    public HikariDataSource connect(Consumer<HikariConfig> settings) throws CannotRun {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        if (!user.isEmpty()) {
            config.setUsername(user);
            config.setPassword(password);
        }
        if (!schema.isEmpty()) {
            config.setSchema(schema);
        }
        settings.accept(config);
        try {
            return new HikariDataSource(config);
        } catch (RuntimeException e) {
            throw new CannotRun("Cannot connect to " + this + ": " + CannotRun.rootMessage(e) + ".");
        }
    }

    /** Passes the address in the environment of a process, because other users of the machine can read arguments. */
    public void into(Map<String, String> environment, String prefix) {
        environment.put(prefix + "_URL", url);
        environment.put(prefix + "_USER", user);
        environment.put(prefix + "_PASSWORD", password);
        environment.put(prefix + "_SCHEMA", schema);
    }

    /** Reads what {@link #into} wrote. */
    public static DatabaseAddress from(Map<String, String> environment, String prefix) {
        return new DatabaseAddress(
                environment.getOrDefault(prefix + "_URL", ""),
                environment.getOrDefault(prefix + "_USER", ""),
                environment.getOrDefault(prefix + "_PASSWORD", ""),
                environment.getOrDefault(prefix + "_SCHEMA", ""));
    }

    /** Omits the options, which may contain a password. */
    @Override
    public String toString() {
        return url.replaceFirst("\\?.*", "");
    }
}
