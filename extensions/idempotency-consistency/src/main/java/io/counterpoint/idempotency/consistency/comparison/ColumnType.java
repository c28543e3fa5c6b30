package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.consistency.internal.DatabaseProduct;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
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
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Defines how values of a type are read, compared and written without loss. Database types that are not listed here are
 * rejected. Values that the Java type cannot represent, such as {@code infinity} or a time of 26 hours, are read as
 * text.
 *
 * @param read an expression over a column, whose result {@link #value} reads
 * @param value reads the value
 * @param written an expression over a parameter, to which a column is set
 * @param match how the database compares values
 */
record ColumnType(String read, Reader value, String written, Match match) {

    /** How the database compares values of a type. */
    enum Match {
        BY_VALUE,
        /** By their texts, because the database treats different values as equal. */
        BY_TEXT,
        /** As binary floating-point numbers, which have to be bound as such. */
        AS_FLOAT,
        AS_DOUBLE
    }

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

    private static final Map<DatabaseProduct, Map<String, ColumnType>> TYPES = Map.of(
            DatabaseProduct.POSTGRESQL, ofPostgreSql(),
            DatabaseProduct.H2, ofH2(),
            DatabaseProduct.MARIADB, ofMariaDb(),
            DatabaseProduct.MYSQL, ofMariaDb());

    /**
     * Returns how to handle a type.
     *
     * @param name the name reported by the driver
     * @param isOneBit whether the driver treats it as a boolean
     */
    static Optional<ColumnType> of(DatabaseProduct database, String name, boolean isOneBit) {
        Map<String, ColumnType> known = TYPES.getOrDefault(database, Map.of());
        String base = name.replaceFirst(" UNSIGNED$|\\('.*", "");
        if (database == DatabaseProduct.POSTGRESQL && name.startsWith("_") && known.containsKey(name.substring(1))) {
            return Optional.of(ofPostgreSqlText(name));
        }
        return Optional.ofNullable(known.get(isOneBit && base.equals("BIT") ? "BOOLEAN" : base));
    }

    /** Returns the type for PostgreSQL enums, arrays, and all others whose text contains the whole value. */
    static ColumnType ofPostgreSqlText(String name) {
        return new ColumnType("CAST(%s AS text)", TEXT, "CAST(? AS " + name + ")", Match.BY_TEXT);
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
        // Without a length, it means one bit.
        types.put("bit", ofPostgreSqlText("varbit"));
        for (String name : new String[] {"int2", "int4", "int8", "numeric"}) {
            types.put(name, ofPostgreSql(name, NUMBER));
        }
        types.put("float4", ofPostgreSql("float4", text(number -> shortest(Float.parseFloat(number)))));
        types.put("float8", ofPostgreSql("float8", text(number -> shortest(Double.parseDouble(number)))));
        types.put("smallserial", ofPostgreSql("int2", NUMBER));
        types.put("serial", ofPostgreSql("int4", NUMBER));
        types.put("bigserial", ofPostgreSql("int8", NUMBER));
        types.put("bool", new ColumnType("%s", TRUTH, "CAST(? AS bool)", Match.BY_VALUE));
        types.put("bytea", new ColumnType("%s", BYTES, "CAST(? AS bytea)", Match.BY_VALUE));
        types.put("uuid", ofPostgreSql("uuid", ID));
        types.put("date", ofPostgreSql("date", DAY));
        types.put("time", ofPostgreSql("time", TIME));
        types.put("timestamp", ofPostgreSql("timestamp", LOCAL));
        types.put("timestamptz", ofPostgreSql("timestamptz", text(moment -> OffsetDateTime.parse(moment, MOMENT))));
        return types;
    }

    private static ColumnType ofPostgreSql(String name, Reader reader) {
        return new ColumnType("CAST(%s AS text)", reader, "CAST(? AS " + name + ")", Match.BY_VALUE);
    }

    private static Map<String, ColumnType> ofH2() {
        Map<String, ColumnType> types = new HashMap<>();
        // In an expression, H2 would derive a parameter's type from the other operand.
        for (String name :
                new String[] {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "NUMERIC", "DECIMAL", "DECFLOAT"}) {
            types.put(name, new ColumnType("%s", NUMBER, "CAST(? AS DECFLOAT)", Match.BY_VALUE));
        }
        types.put(
                "REAL",
                new ColumnType(
                        "%s", (row, column) -> shortest(row.getFloat(column)), "CAST(? AS REAL)", Match.BY_VALUE));
        types.put(
                "DOUBLE PRECISION",
                new ColumnType(
                        "%s",
                        (row, column) -> shortest(row.getDouble(column)),
                        "CAST(? AS DOUBLE PRECISION)",
                        Match.BY_VALUE));
        ColumnType text = new ColumnType("CAST(%s AS varchar)", TEXT, "?", Match.BY_TEXT);
        types.put("CHARACTER VARYING", text);
        types.put("VARCHAR_IGNORECASE", text);
        types.put("ENUM", text);
        types.put("CHARACTER", new ColumnType("RTRIM(CAST(%s AS varchar))", TEXT, "?", Match.BY_TEXT));
        types.put("CHARACTER LARGE OBJECT", new ColumnType("%s", TEXT, "?", Match.BY_VALUE));
        types.put("JSON", new ColumnType("CAST(%s AS varchar)", TEXT, "? FORMAT JSON", Match.BY_TEXT));
        for (String name : new String[] {"BINARY", "BINARY VARYING", "BINARY LARGE OBJECT"}) {
            types.put(name, new ColumnType("%s", BYTES, "?", Match.BY_VALUE));
        }
        types.put("BOOLEAN", new ColumnType("%s", TRUTH, "?", Match.BY_VALUE));
        types.put("UUID", new ColumnType("%s", ID, "?", Match.BY_VALUE));
        types.put("DATE", ofH2(LocalDate.class, "DATE"));
        types.put("TIME", ofH2(LocalTime.class, "TIME(9)"));
        types.put("TIME WITH TIME ZONE", ofH2(OffsetTime.class, "TIME(9) WITH TIME ZONE"));
        types.put("TIMESTAMP", ofH2(LocalDateTime.class, "TIMESTAMP(9)"));
        types.put("TIMESTAMP WITH TIME ZONE", ofH2(OffsetDateTime.class, "TIMESTAMP(9) WITH TIME ZONE"));
        return types;
    }

    private static ColumnType ofH2(Class<?> type, String name) {
        return new ColumnType(
                "%s", (row, column) -> row.getObject(column, type), "CAST(? AS " + name + ")", Match.BY_VALUE);
    }

    private static Map<String, ColumnType> ofMariaDb() {
        Map<String, ColumnType> types = new HashMap<>();
        for (String name : new String[] {"TINYINT", "SMALLINT", "MEDIUMINT", "INT", "INTEGER", "BIGINT", "DECIMAL"}) {
            types.put(name, new ColumnType("%s", NUMBER, "?", Match.BY_VALUE));
        }
        // Drivers convert these to bytes, dates and booleans.
        types.put("BIT", new ColumnType("%s + 0", NUMBER, "?", Match.BY_VALUE));
        types.put("YEAR", new ColumnType("%s + 0", NUMBER, "?", Match.BY_VALUE));
        types.put("BOOLEAN", new ColumnType("%s + 0", ColumnType::truth, "?", Match.BY_VALUE));
        // The server prints only six digits of a float, but the exact value of a double.
        types.put(
                "FLOAT",
                new ColumnType("%s + 0e0", (row, column) -> shortest(row.getFloat(column)), "?", Match.AS_FLOAT));
        types.put(
                "DOUBLE", new ColumnType("%s", (row, column) -> shortest(row.getDouble(column)), "?", Match.AS_DOUBLE));
        for (String name : new String[] {"CHAR", "VARCHAR", "TINYTEXT", "TEXT", "MEDIUMTEXT", "LONGTEXT", "JSON"}) {
            types.put(name, new ColumnType("%s", TEXT, "?", Match.BY_TEXT));
        }
        for (String name : new String[] {"BINARY", "VARBINARY", "TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB"}) {
            types.put(name, new ColumnType("%s", BYTES, "?", Match.BY_VALUE));
        }
        types.put("uuid", new ColumnType("%s", ID, "?", Match.BY_VALUE));
        types.put("DATE", new ColumnType("DATE_FORMAT(%s, '%%Y-%%m-%%d')", DAY, "?", Match.BY_TEXT));
        types.put("TIME", new ColumnType("TIME_FORMAT(%s, '%%H:%%i:%%s.%%f')", TIME, "?", Match.BY_TEXT));
        types.put("DATETIME", ofMariaDb(LOCAL));
        types.put("TIMESTAMP", ofMariaDb(text(moment -> local(moment).atOffset(ZoneOffset.UTC))));
        return types;
    }

    /** For sessions in UTC, in which a {@code TIMESTAMP} is shown as the actual instant. */
    private static ColumnType ofMariaDb(Reader reader) {
        return new ColumnType("DATE_FORMAT(%s, '%%Y-%%m-%%d %%H:%%i:%%s.%%f')", reader, "?", Match.BY_TEXT);
    }

    private static LocalDateTime local(String text) {
        return LocalDateTime.parse(text.replace(' ', 'T'));
    }

    /** A {@code tinyint(1)} may contain more than a boolean. */
    private static Object truth(ResultSet row, int column) throws SQLException {
        long value = row.getLong(column);
        return value == 0 || value == 1 ? value == 1 : BigDecimal.valueOf(value);
    }

    /** The fewest digits that identify the number. PostgreSQL and Java versions before 19 sometimes print more. */
    static Object shortest(double value) {
        return shortest(value, 17, number -> number.doubleValue() == value);
    }

    static Object shortest(float value) {
        return shortest(value, 9, number -> number.floatValue() == value);
    }

    private static Object shortest(double value, int most, Predicate<BigDecimal> isSame) {
        if (!Double.isFinite(value) || value == 0) {
            return value == 0 && 1 / value > 0
                    ? BigDecimal.ZERO
                    : String.valueOf(value).replaceFirst("\\.0$", "");
        }
        BigDecimal exact = new BigDecimal(value);
        for (int digits = 1; digits < most; digits++) {
            BigDecimal rounded = exact.round(new MathContext(digits, RoundingMode.HALF_EVEN));
            if (isSame.test(rounded)) {
                return rounded;
            }
        }
        return exact.round(new MathContext(most, RoundingMode.HALF_EVEN));
    }

    /** As a number, zero has one sign; as a float, it has two. */
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
        return read.formatted("(" + column + ")");
    }

    @Nullable
    Object value(ResultSet row, int column) throws SQLException {
        Object read = value.of(row, column);
        return row.wasNull() ? null : read;
    }

    /** Returns a condition that a column has exactly the value of a parameter, {@code ?}. */
    String isSame(DatabaseProduct database, String column) {
        return match == Match.BY_TEXT
                ? database.sameText(select(column), "?")
                : database.same("(" + column + ")", written);
    }

    /** Returns a value as bound for this column: MariaDB and MySQL take times as text. */
    @Nullable
    Object bound(DatabaseProduct database, @Nullable Object value) {
        if (value instanceof Number number && (match == Match.AS_FLOAT || match == Match.AS_DOUBLE)) {
            return match == Match.AS_FLOAT ? (double) number.floatValue() : number.doubleValue();
        }
        if (database == DatabaseProduct.H2 || database == DatabaseProduct.POSTGRESQL) {
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
        return value instanceof LocalDate || value instanceof UUID ? value.toString() : value;
    }
}
