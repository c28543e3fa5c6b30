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
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

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
            throw new IllegalStateException("The database did not report its name.", thrown);
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

    /**
     * Runs the definition of a part's table under the name that it has here.
     *
     * @param resources opens a file beside the part's classes; a module's files are hidden from this one
     */
    public static void create(
            Handle handle, Function<String, @Nullable InputStream> resources, String defaultTable, String table) {
        create(handle, resources, file(handle), defaultTable, table);
    }

    /** The same from a file of another name. */
    public static void create(
            Handle handle,
            Function<String, @Nullable InputStream> resources,
            String file,
            String defaultTable,
            String table) {
        handle.createScript(read(resources, file).replace(defaultTable, table)).execute();
    }

    /** The name of the file for the database that a handle speaks to. */
    public static String file(Handle handle) {
        return of(handle).name().toLowerCase(Locale.ROOT) + ".sql";
    }

    private static String read(Function<String, @Nullable InputStream> resources, String file) {
        try (InputStream in = resources.apply(file)) {
            if (in == null) {
                throw new IllegalStateException("The file " + file + " is missing: the part's archive is damaged.");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException thrown) {
            throw new UncheckedIOException(thrown);
        }
    }
}
