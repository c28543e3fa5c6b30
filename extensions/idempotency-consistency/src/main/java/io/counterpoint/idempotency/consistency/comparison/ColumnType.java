package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.consistency.internal.Database;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The one way in which values of a type are read, compared and written, without a loss. Types of a database that are not here
 * are refused. What Java's type cannot hold, such as {@code infinity} or a time of 26 hours, stays a text.
 *
 * @param read an expression over a column, which gives what {@link #value} makes a value of
 * @param value reads it
 * @param written an expression over a parameter, which a column is set to
 * @param exact whether the database compares the texts of values, since it takes others for equal
 */
record ColumnType(String read, Reader value, String written, boolean exact) {

    /** Reads a column of a row. */
    interface Reader {
        @Nullable
        Object of(ResultSet row, int column) throws SQLException;
    }

    private static final DateTimeFormatter MOMENT = new DateTimeFormatterBuilder()
            .append(DateTimeFormatter.ISO_LOCAL_DATE)
            .appendLiteral(' ')
            .append(DateTimeFormatter.ISO_LOCAL_TIME)
            .appendOffset("+HH:mm:ss", "+00")
            .toFormatter(Locale.ROOT);
    private static final DateTimeFormatter MICROS = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS");
    private static final DateTimeFormatter MICROS_OF_DAY = DateTimeFormatter.ofPattern("HH:mm:ss.SSSSSS");

    private static final Reader TEXT = ResultSet::getString;
    private static final Reader BYTES = ResultSet::getBytes;
    private static final Reader NUMBER = text(ColumnType::number);
    private static final Reader TRUTH = ResultSet::getBoolean;
    private static final Reader ID = text(UUID::fromString);
    private static final Reader DAY = text(LocalDate::parse);
    private static final Reader TIME = text(LocalTime::parse);
    private static final Reader LOCAL = text(ColumnType::local);

    private static final Map<Database, Map<String, ColumnType>> TYPES = Map.of(
            Database.POSTGRESQL, ofPostgreSql(),
            Database.H2, ofH2(),
            Database.MARIADB, ofMariaDb(),
            Database.MYSQL, ofMariaDb());

    /**
     * The way of a type.
     *
     * @param name as the driver names it
     * @param isOneBit whether the driver takes it for a truth value
     */
    static Optional<ColumnType> of(Database database, String name, boolean isOneBit) {
        Map<String, ColumnType> known = TYPES.getOrDefault(database, Map.of());
        String base = name.replaceFirst(" UNSIGNED$|\\('.*", "");
        if (database == Database.POSTGRESQL && name.startsWith("_") && known.containsKey(name.substring(1))) {
            return Optional.of(ofPostgreSqlText(name));
        }
        return Optional.ofNullable(known.get(isOneBit && base.equals("BIT") ? "BOOLEAN" : base));
    }

    /** That of an enumeration of PostgreSQL, of an array, and of all others whose text has the whole value. */
    static ColumnType ofPostgreSqlText(String name) {
        return new ColumnType("CAST(%s AS text)", TEXT, "CAST(? AS " + name + ")", true);
    }

    private static Map<String, ColumnType> ofPostgreSql() {
        Map<String, ColumnType> types = new HashMap<>();
        for (String name : new String[] {
            "text",
            "varchar",
            "bpchar",
            "name",
            "citext",
            "json",
            "jsonb",
            "xml",
            "varbit",
            "inet",
            "cidr",
            "macaddr",
            "interval",
            "timetz",
            "point"
        }) {
            types.put(name, ofPostgreSqlText(name));
        }
        // Without a length it is one bit.
        types.put("bit", ofPostgreSqlText("varbit"));
        for (String name : new String[] {"int2", "int4", "int8", "numeric", "float4", "float8"}) {
            types.put(name, ofPostgreSql(name, NUMBER));
        }
        types.put("smallserial", ofPostgreSql("int2", NUMBER));
        types.put("serial", ofPostgreSql("int4", NUMBER));
        types.put("bigserial", ofPostgreSql("int8", NUMBER));
        types.put("bool", new ColumnType("%s", TRUTH, "CAST(? AS bool)", false));
        types.put("bytea", new ColumnType("%s", BYTES, "CAST(? AS bytea)", false));
        types.put("uuid", ofPostgreSql("uuid", ID));
        types.put("date", ofPostgreSql("date", DAY));
        types.put("time", ofPostgreSql("time", TIME));
        types.put("timestamp", ofPostgreSql("timestamp", LOCAL));
        types.put("timestamptz", ofPostgreSql("timestamptz", text(moment -> OffsetDateTime.parse(moment, MOMENT))));
        return types;
    }

    private static ColumnType ofPostgreSql(String name, Reader reader) {
        return new ColumnType("CAST(%s AS text)", reader, "CAST(? AS " + name + ")", false);
    }

    private static Map<String, ColumnType> ofH2() {
        ColumnType whole = new ColumnType("%s", NUMBER, "?", false);
        Map<String, ColumnType> types = new HashMap<>();
        for (String name : new String[] {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "NUMERIC"}) {
            types.put(name, whole);
        }
        for (String name : new String[] {"DECFLOAT", "REAL", "DOUBLE PRECISION"}) {
            types.put(name, new ColumnType("%s", NUMBER, "CAST(? AS " + name + ")", false));
        }
        ColumnType text = new ColumnType("CAST(%s AS varchar)", TEXT, "?", true);
        types.put("CHARACTER VARYING", text);
        types.put("VARCHAR_IGNORECASE", text);
        types.put("ENUM", text);
        types.put("CHARACTER", new ColumnType("RTRIM(CAST(%s AS varchar))", TEXT, "?", true));
        types.put("CHARACTER LARGE OBJECT", new ColumnType("%s", TEXT, "?", false));
        types.put("JSON", new ColumnType("CAST(%s AS varchar)", TEXT, "? FORMAT JSON", true));
        for (String name : new String[] {"BINARY", "BINARY VARYING", "BINARY LARGE OBJECT"}) {
            types.put(name, new ColumnType("%s", BYTES, "?", false));
        }
        types.put("BOOLEAN", new ColumnType("%s", TRUTH, "?", false));
        types.put("UUID", new ColumnType("%s", ID, "?", false));
        types.put("DATE", ofH2(LocalDate.class));
        types.put("TIME", ofH2(LocalTime.class));
        types.put("TIME WITH TIME ZONE", ofH2(OffsetTime.class));
        types.put("TIMESTAMP", ofH2(LocalDateTime.class));
        types.put("TIMESTAMP WITH TIME ZONE", ofH2(OffsetDateTime.class));
        return types;
    }

    private static ColumnType ofH2(Class<?> type) {
        return new ColumnType("%s", (row, column) -> row.getObject(column, type), "?", false);
    }

    private static Map<String, ColumnType> ofMariaDb() {
        Map<String, ColumnType> types = new HashMap<>();
        for (String name : new String[] {"TINYINT", "SMALLINT", "MEDIUMINT", "INT", "INTEGER", "BIGINT", "DECIMAL"}) {
            types.put(name, new ColumnType("%s", NUMBER, "?", false));
        }
        // Drivers make bytes, dates and truth values of these.
        types.put("BIT", new ColumnType("(%s) + 0", NUMBER, "?", false));
        types.put("YEAR", new ColumnType("(%s) + 0", NUMBER, "?", false));
        types.put("BOOLEAN", new ColumnType("(%s) + 0", ColumnType::truth, "?", false));
        // The server prints six digits of a float, and the value of a double.
        types.put("FLOAT", new ColumnType("(%s) + 0e0", ResultSet::getFloat, "?", false));
        types.put("DOUBLE", new ColumnType("%s", ResultSet::getDouble, "?", false));
        for (String name : new String[] {"CHAR", "VARCHAR", "TINYTEXT", "TEXT", "MEDIUMTEXT", "LONGTEXT", "JSON"}) {
            types.put(name, new ColumnType("%s", TEXT, "?", true));
        }
        for (String name : new String[] {"BINARY", "VARBINARY", "TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB"}) {
            types.put(name, new ColumnType("%s", BYTES, "?", false));
        }
        types.put("uuid", new ColumnType("%s", ID, "?", false));
        types.put("DATE", new ColumnType("DATE_FORMAT(%s, '%%Y-%%m-%%d')", DAY, "?", true));
        types.put("TIME", new ColumnType("TIME_FORMAT(%s, '%%H:%%i:%%s.%%f')", TIME, "?", true));
        types.put("DATETIME", ofMariaDb(LOCAL));
        types.put("TIMESTAMP", ofMariaDb(text(moment -> local(moment).atOffset(ZoneOffset.UTC))));
        return types;
    }

    /** Of sessions in UTC, in which a {@code TIMESTAMP} is shown as the moment that it is. */
    private static ColumnType ofMariaDb(Reader reader) {
        return new ColumnType("DATE_FORMAT(%s, '%%Y-%%m-%%d %%H:%%i:%%s.%%f')", reader, "?", true);
    }

    private static LocalDateTime local(String text) {
        return LocalDateTime.parse(text.replace(' ', 'T'));
    }

    /** A {@code tinyint(1)} may be more than a truth value. */
    private static Object truth(ResultSet row, int column) throws SQLException {
        long value = row.getLong(column);
        return value == 0 || value == 1 ? value == 1 : BigDecimal.valueOf(value);
    }

    /** Zero has one sign as a number, and two as a float. */
    private static Object number(String text) {
        BigDecimal number = new BigDecimal(text);
        return number.signum() == 0 && text.startsWith("-") ? text : number;
    }

    private static Reader text(Function<String, Object> parser) {
        return (row, column) -> {
            String text = row.getString(column);
            try {
                return text == null ? null : parser.apply(text);
            } catch (DateTimeException | IllegalArgumentException noSuchValue) {
                return text;
            }
        };
    }

    // ---- in SQL ----------------------------------------------------------------------------------------------------

    String select(String column) {
        return read.formatted(column);
    }

    @Nullable
    Object value(ResultSet row, int column) throws SQLException {
        Object read = value.of(row, column);
        return row.wasNull() ? null : read;
    }

    /** Whether a column has exactly the value of a parameter, {@code ?}. */
    String isSame(Database database, String column) {
        return exact ? database.sameText(select(column), "?") : database.same(column, written);
    }

    /** A value as MariaDB's and MySQL's texts of times are, and as other databases take it. */
    static @Nullable Object bound(Database database, @Nullable Object value) {
        if (database == Database.H2 || database == Database.POSTGRESQL) {
            return value;
        }
        if (value instanceof OffsetDateTime moment) {
            return moment.withOffsetSameInstant(ZoneOffset.UTC).format(MICROS);
        }
        if (value instanceof LocalDateTime time) {
            return time.format(MICROS);
        }
        if (value instanceof LocalTime time) {
            return time.format(MICROS_OF_DAY);
        }
        return value instanceof Float number
                ? Double.valueOf(number.doubleValue())
                : value instanceof LocalDate || value instanceof UUID ? value.toString() : value;
    }
}
