package io.counterpoint.idempotency.consistency.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jdbi.v3.core.Handle;

/** The two databases, where their SQL differs, and what the statements of all parts are made of. */
public enum Database {
    POSTGRESQL,
    H2;

    /** Now plus a number of seconds, a parameter of any number type. */
    public static final String SECONDS_FROM_NOW =
            "CURRENT_TIMESTAMP + CAST(:seconds AS numeric(20, 6)) * INTERVAL '1' SECOND";

    /** Now minus that. */
    public static final String SECONDS_AGO = SECONDS_FROM_NOW.replace('+', '-');

    private static final String PLAIN = "[A-Za-z_][A-Za-z0-9_]{0,47}";
    private static final Pattern NAME = Pattern.compile("(" + PLAIN + "\\.)?" + PLAIN);

    /** The database that a handle speaks to. Whatever speaks like PostgreSQL says that it is. */
    public static Database of(Handle handle) {
        try {
            String product = handle.getConnection().getMetaData().getDatabaseProductName();
            return switch (product) {
                case "PostgreSQL" -> POSTGRESQL;
                case "H2" -> H2;
                default ->
                    throw new IllegalStateException(
                            "Works on PostgreSQL and H2, found a connection to " + product + ".");
            };
        } catch (SQLException thrown) {
            throw new IllegalStateException("The database did not tell its name.", thrown);
        }
    }

    /** Seconds as {@link #SECONDS_FROM_NOW} wants them. */
    public static BigDecimal seconds(Duration duration) {
        return BigDecimal.valueOf(duration.dividedBy(ChronoUnit.MICROS.getDuration()), 6);
    }

    /** A duration from a column of seconds. */
    public static Duration duration(BigDecimal seconds) {
        return Duration.ofNanos(seconds.movePointRight(9).longValue());
    }

    /**
     * Refuses a count below 1.
     *
     * @return the count
     */
    public static int positive(String what, int count) {
        if (count < 1) {
            throw new IllegalArgumentException(what + " is at least 1, found " + count + ".");
        }
        return count;
    }

    /**
     * Refuses what is not a plain name, since names cannot be bound.
     *
     * @return the name
     */
    public static String name(String what, String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("The name of " + what
                    + " is letters, digits and underscores, with or without a schema before it, found '" + name + "'.");
        }
        return name;
    }

    /**
     * Refuses what is not a plain name without a schema.
     *
     * @return the name
     */
    public static String nameWithoutSchema(String what, String name) {
        if (name.contains(".")) {
            throw new IllegalArgumentException("The name of " + what + " has no schema before it, found '" + name
                    + "'; set the schema on the connection.");
        }
        return name(what, name);
    }

    /** Runs the definition of a part's table, which lies beside one of its classes, under the name that it has here. */
    public static void create(Handle handle, Class<?> part, String defaultTable, String table) {
        handle.createScript(script(of(handle), part).replace(defaultTable, table))
                .execute();
    }

    private static String script(Database database, Class<?> part) {
        String file = database.name().toLowerCase(Locale.ROOT) + ".sql";
        try (InputStream in = part.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("The file " + file + " is missing beside " + part.getName() + ".");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException thrown) {
            throw new UncheckedIOException(thrown);
        }
    }
}
