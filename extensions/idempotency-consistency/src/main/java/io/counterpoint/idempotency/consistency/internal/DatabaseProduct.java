package io.counterpoint.idempotency.consistency.internal;

import io.counterpoint.idempotency.function.CheckedSupplier;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The differences between the databases' SQL, and the building blocks of statements. */
public enum DatabaseProduct {
    POSTGRESQL("COLLATE \"C\""),
    H2(""),
    MARIADB("COLLATE utf8mb4_nopad_bin"),
    MYSQL("COLLATE utf8mb4_0900_bin");

    private static final String PLAIN = "[A-Za-z_][A-Za-z0-9_]{0,47}";
    private static final Pattern NAME = Pattern.compile("(" + PLAIN + "\\.)?" + PLAIN);

    /** Servers that claim to be MySQL but lock, order or wait differently. */
    private static final Pattern LIKE_MYSQL = Pattern.compile("TiDB|Vitess|OceanBase|SingleStore|MemSQL");

    private final String exact;

    DatabaseProduct(String exact) {
        this.exact = exact;
    }

    /**
     * Returns the database of a handle. Any server that speaks PostgreSQL's protocol identifies itself as PostgreSQL.
     *
     * @throws IllegalStateException if it is a different database
     */
    public static DatabaseProduct of(Handle handle) {
        try {
            DatabaseMetaData server = handle.getConnection().getMetaData();
            String product = server.getDatabaseProductName();
            String version = String.valueOf(server.getDatabaseProductVersion());
            return switch (product) {
                case "PostgreSQL" -> POSTGRESQL;
                case "H2" -> H2;
                case "MariaDB" -> MARIADB;
                case "MySQL" -> ofMySql(version);
                default -> throw unfit(product);
            };
        } catch (SQLException thrown) {
            throw new IllegalStateException("The database did not report its name.", thrown);
        }
    }

    /** MySQL's own driver calls every server MySQL. */
    private static DatabaseProduct ofMySql(String version) {
        Matcher other = LIKE_MYSQL.matcher(version);
        if (other.find()) {
            throw unfit(other.group());
        }
        return version.contains("MariaDB") ? MARIADB : MYSQL;
    }

    private static IllegalStateException unfit(String product) {
        return new IllegalStateException("This works on PostgreSQL, H2, MariaDB and MySQL, but the connection leads"
                + " to " + product + ", on which it has not been tested. Keep these tables in one of the four.");
    }

    /**
     * Whether a write at REPEATABLE READ succeeds although its row has changed since the snapshot. Unlike {@link #of},
     * this accepts any other database and returns false for it.
     */
    public static boolean overwritesWhatASnapshotHides(Handle handle) {
        try {
            String product = handle.getConnection().getMetaData().getDatabaseProductName();
            return (product.equals("MariaDB") || product.equals("MySQL"))
                    && handle.createQuery("SHOW VARIABLES LIKE 'innodb_snapshot_isolation'")
                            .map((row, context) -> row.getString(2))
                            .findOne()
                            .filter("ON"::equals)
                            .isEmpty();
        } catch (SQLException thrown) {
            throw new IllegalStateException("The database did not report its name.", thrown);
        }
    }

    /** MariaDB and MySQL store times without a zone, in UTC, and identifiers as text. */
    private boolean isStandard() {
        return this == POSTGRESQL || this == H2;
    }

    /** The current time: of the transaction or, on MariaDB and MySQL, of the statement. */
    public String now() {
        return isStandard() ? "CURRENT_TIMESTAMP" : "UTC_TIMESTAMP(6)";
    }

    /**
     * Runs code with the session's zone set to UTC on MariaDB and MySQL: {@link #now()} is in UTC, and so is a {@code
     * timestamp}, which is shown in the session's zone.
     */
    public <T, X extends Exception> T inUtc(Connection connection, CheckedSupplier<T, X> code) throws X, SQLException {
        if (isStandard()) {
            return code.get();
        }
        try (Statement session = connection.createStatement()) {
            String zone;
            try (ResultSet row = session.executeQuery("SELECT @@session.time_zone")) {
                zone = row.next() ? row.getString(1) : "SYSTEM";
            }
            session.execute("SET time_zone = '+00:00'");
            T result;
            try {
                result = code.get();
            } catch (Throwable thrown) {
                try {
                    session.execute("SET time_zone = '" + zone + "'");
                } catch (SQLException broken) {
                    thrown.addSuppressed(broken);
                }
                throw thrown;
            }
            session.execute("SET time_zone = '" + zone + "'");
            return result;
        }
    }

    /** Does the same for statements of a handle. */
    public <T> T inUtc(Handle handle, Supplier<T> code) {
        try {
            return inUtc(handle.getConnection(), (CheckedSupplier<T, RuntimeException>) code::get);
        } catch (SQLException broken) {
            throw new ConnectionException(broken);
        }
    }

    /** The first moment of the current month, in UTC. */
    private String month() {
        return switch (this) {
            case POSTGRESQL -> "date_trunc('month', CURRENT_TIMESTAMP, 'UTC')";
            case H2 -> "DATE_TRUNC(MONTH, CURRENT_TIMESTAMP AT TIME ZONE 'UTC')";
            case MARIADB, MYSQL -> "CAST(DATE_FORMAT(UTC_TIMESTAMP(), '%Y-%m-01') AS datetime)";
        };
    }

    /** Replaces {@code {now}} and {@code {month}} in user-written SQL with this database's expressions. */
    public String filled(String sql) {
        return sql.replace("{now}", now()).replace("{month}", month());
    }

    /** Now plus a number of seconds, the parameter {@code :seconds}. */
    public String secondsFromNow() {
        return now() + " + " + interval();
    }

    /** Now minus the same number of seconds. */
    public String secondsAgo() {
        return now() + " - " + interval();
    }

    private String interval() {
        return isStandard()
                ? "CAST(:seconds AS numeric(20, 6)) * INTERVAL '1' SECOND"
                : "INTERVAL CAST(:seconds AS decimal(20, 6)) SECOND";
    }

    /** The seconds from one time to another, as a fractional number. */
    public String secondsBetween(String from, String to) {
        return isStandard()
                ? "EXTRACT(EPOCH FROM (" + to + " - " + from + "))"
                : "TIMESTAMPDIFF(MICROSECOND, " + from + ", " + to + ") / 1000000";
    }

    /**
     * Deletes the first rows of a table in an order. On H2 there is no order, because it would evaluate the subquery
     * for each row.
     */
    public String deleteFirst(String table, String key, String where, String order, int limit) {
        String first = "WHERE " + where + " ORDER BY " + order + " LIMIT " + limit;
        return switch (this) {
            case POSTGRESQL ->
                "DELETE FROM %1$s WHERE %2$s IN (SELECT %2$s FROM %1$s %3$s)".formatted(table, key, first);
            case H2 -> "DELETE FROM " + table + " WHERE " + where + " FETCH FIRST " + limit + " ROWS ONLY";
            case MARIADB, MYSQL -> "DELETE FROM " + table + " " + first;
        };
    }

    /**
     * The end of a query for the first rows of an index range. H2 reads only these rows if all columns of the index are
     * named; so does MySQL if they are compared with columns of an outer query.
     *
     * @param same the leading columns of the index, each of which the query compares with one value
     * @param order the other columns of the index
     */
    public String first(int limit, String same, String order) {
        return "ORDER BY " + (this == H2 || this == MYSQL ? same + ", " : "") + order + " LIMIT " + limit;
    }

    /** Sorts in ascending order, nulls first. MariaDB and MySQL always do so and have no syntax for it. */
    public String nullsFirst(String column) {
        return isStandard() ? column + " NULLS FIRST" : column;
    }

    /** A condition that two expressions are equal or both null. */
    public String same(String left, String right) {
        return left + (isStandard() ? " IS NOT DISTINCT FROM " : " <=> ") + right;
    }

    /**
     * A text that compares by code point, regardless of the collation of its column. H2 has no syntax for that: it
     * compares like {@link String#compareTo}.
     */
    public String byCodePoint(String text) {
        return switch (this) {
            case H2 -> text;
            case POSTGRESQL -> text + " " + exact;
            case MARIADB, MYSQL -> "CONVERT(" + text + " USING utf8mb4) " + exact;
        };
    }

    /** A condition that a column whose values are read as text has exactly the value of a parameter. */
    public String sameText(String column, String parameter) {
        return switch (this) {
            case H2 -> same("CAST(" + column + " AS varchar)", parameter);
            case POSTGRESQL -> same("CAST(" + column + " AS text) " + exact, "CAST(" + parameter + " AS text)");
            case MARIADB, MYSQL -> same(byCodePoint(column), parameter);
        };
    }

    /**
     * A condition that a text column has an exact value. Collations of MariaDB and MySQL may treat different values as
     * equal.
     */
    public String isExactly(String column, String text) {
        return column + " = " + text + (isStandard() ? "" : " AND " + byCodePoint(column) + " = " + text);
    }

    /** Returns the SQL name of a PostgreSQL enum type or an array of one. */
    public Optional<String> enumeration(Handle handle, String type) {
        return this != POSTGRESQL
                ? Optional.empty()
                : handle.createQuery("""
                                SELECT CAST(CAST(t.oid AS regtype) AS text)
                                FROM pg_type t LEFT JOIN pg_type e ON e.oid = t.typelem
                                WHERE (t.typtype = 'e' OR e.typtype = 'e')
                                    AND t.oid = coalesce(to_regtype(quote_ident(:type)), to_regtype(:type))""").bind("type", type).mapTo(String.class).findOne();
    }

    /**
     * Runs code in a session that shows values uniformly: instants in UTC and, on PostgreSQL, floats with all of their
     * digits and intervals in one style. On PostgreSQL the settings end with the transaction, as a transaction pooler
     * requires.
     */
    public <T> T inPlainSession(Handle handle, Supplier<T> code) {
        if (this != POSTGRESQL) {
            return inUtc(handle, code);
        }
        return handle.isInTransaction() ? settled(handle, code) : handle.inTransaction(own -> settled(own, code));
    }

    private static <T> T settled(Handle handle, Supplier<T> code) {
        handle.execute("""
                SELECT set_config('TimeZone', 'UTC', true), set_config('extra_float_digits', '1', true),
                    set_config('IntervalStyle', 'postgres', true)""");
        return code.get();
    }

    /** A parameter that is an identifier or null. */
    public String uuid(String parameter) {
        return isStandard() ? "CAST(" + parameter + " AS uuid)" : parameter;
    }

    /**
     * Returns a value in a form that this database's drivers accept. Those of MariaDB and MySQL have text and
     * timestamps in common.
     */
    public @Nullable Object bound(@Nullable Object value) {
        if (isStandard()) {
            return value;
        }
        if (value instanceof OffsetDateTime time) {
            return Timestamp.from(time.toInstant());
        }
        if (value instanceof Instant moment) {
            return Timestamp.from(moment);
        }
        return value instanceof UUID id ? id.toString() : value;
    }

    /** Reads an identifier from a row, regardless of the type of its column. */
    public static @Nullable UUID uuid(ResultSet row, int column) throws SQLException {
        String text = row.getString(column);
        return text == null ? null : UUID.fromString(text);
    }

    /** Reads an instant from a row. */
    public Instant instant(ResultSet row, String column) throws SQLException {
        return isStandard()
                ? row.getObject(column, OffsetDateTime.class).toInstant()
                : row.getObject(column, LocalDateTime.class).toInstant(ZoneOffset.UTC);
    }

    /** Converts a duration to seconds for {@link #secondsFromNow}. */
    public static BigDecimal seconds(Duration duration) {
        return BigDecimal.valueOf(duration.dividedBy(ChronoUnit.MICROS.getDuration()), 6);
    }

    /** Converts a column of seconds to a duration. */
    public static Duration duration(BigDecimal seconds) {
        return Duration.ofNanos(seconds.movePointRight(9).longValue());
    }

    /**
     * Rejects a count less than 1.
     *
     * @return the count
     */
    public static int positive(String what, int count) {
        if (count < 1) {
            throw new IllegalArgumentException(what + " must be at least 1, found " + count + ".");
        }
        return count;
    }

    /**
     * Rejects anything but a plain name, because names cannot be bound.
     *
     * @return the name
     */
    public static String name(String what, String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("The name of " + what + " must be letters, digits and underscores,"
                    + " with or without a schema, found '" + name + "'.");
        }
        return name;
    }

    /**
     * Rejects anything but a plain name without a schema.
     *
     * @return the name
     */
    public static String nameWithoutSchema(String what, String name) {
        if (name.contains(".")) {
            throw new IllegalArgumentException("The name of " + what + " must not have a schema, found '" + name
                    + "'; set the schema on the connection.");
        }
        return name(what, name);
    }

    /**
     * Runs the definition of a table under its configured name.
     *
     * @param resources opens a file next to the caller's classes, because a module's files are hidden from this one
     */
    public static void create(
            Handle handle, Function<String, @Nullable InputStream> resources, String defaultTable, String table) {
        String file = of(handle).name().toLowerCase(Locale.ROOT) + ".sql";
        handle.createScript(read(resources, file).replace(defaultTable, table)).execute();
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
