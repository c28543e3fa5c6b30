package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import io.counterpoint.idempotency.testing.MariaDbServer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Types of each database, with values as SQL has them. Each value is easily confused with the next one. */
final class TypeSamples {

    private static final String[] TEXTS = {"'a'", "'A'", "'a '", "''", "'\u00e4'", "'\ud83d\ude00'"};
    private static final String[] PADDED = {"'a'", "'A'", "'\u00e4'", "''"};

    private final Map<String, List<String>> values = new LinkedHashMap<>();

    private TypeSamples() {}

    static Map<String, List<String>> of(Kind kind) {
        TypeSamples samples = new TypeSamples();
        switch (kind) {
            case H2 -> samples.h2();
            case POSTGRESQL -> samples.postgreSql();
            case MARIADB -> samples.mariaDb(MariaDbServer.shared().isMySql());
        }
        return samples.values;
    }

    /** Types that the catalogue does not list, or not without their parts. */
    static List<String> others(Kind kind) {
        return switch (kind) {
            case H2 -> List.of("int array", "row(a int)");
            case POSTGRESQL -> List.of("daterange[]");
            case MARIADB -> List.of("point", "geometry", "linestring");
        };
    }

    private void add(String type, String... all) {
        List<String> some = new ArrayList<>(List.of(all));
        if (!type.endsWith("serial")) {
            some.add("NULL");
        }
        values.put(type, some);
    }

    private void h2() {
        add("boolean", "TRUE", "FALSE");
        add("tinyint", "1", "0", "-128");
        add("smallint", "1", "0", "-32768");
        add("int", "1", "0", "-2147483648");
        add("bigint", "9007199254740992", "9007199254740993", "-9223372036854775808");
        add("numeric(40, 20)", "0.1", "0.10000000000000000001", "12345678901234567890.5");
        add("decimal(12, 2)", "0.1", "0.11");
        add("decfloat", "0.1", "1E100", "CAST('NaN' AS decfloat)", "CAST('Infinity' AS decfloat)");
        add("real", "0.1", "0", "16777216", "16777218", "CAST('NaN' AS real)", "CAST('-Infinity' AS real)");
        add("double precision", "0.3", "0.30000000000000004", "1E308", "5E-324", "CAST('NaN' AS double precision)");
        add("char(5)", PADDED);
        add("varchar(20)", TEXTS);
        add("varchar_ignorecase(20)", TEXTS);
        add("clob", TEXTS);
        add("enum('a', 'b')", "'a'", "'b'");
        add("json", "JSON '{\"a\":1}'", "JSON '{\"a\":2}'", "JSON '\"1\"'", "JSON '1'", "JSON 'null'");
        add("binary(2)", "X'0001'", "X'0100'");
        add("varbinary(20)", "X''", "X'00'", "X'0000'");
        add("blob", "X''", "X'00'", "X'0000'");
        add("uuid", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12'");
        add("date", "DATE '2026-01-01'", "DATE '0001-01-01'", "DATE '-0044-03-15'", "DATE '10000-01-01'");
        add("time(9)", "TIME '02:30:00'", "TIME '02:30:00.000000001'", "TIME '23:59:59.999999999'");
        add("time with time zone", "TIME WITH TIME ZONE '02:30:00+02:00'", "TIME WITH TIME ZONE '02:30:00+00:00'");
        add("timestamp(9)", "TIMESTAMP '2026-10-25 02:30:00'", "TIMESTAMP '2026-10-25 02:30:00.000000001'");
        add(
                "timestamp with time zone",
                "TIMESTAMP WITH TIME ZONE '2026-10-25 02:30:00+02:00'",
                "TIMESTAMP WITH TIME ZONE '2026-10-25 02:30:00+01:00'");
    }

    private void postgreSql() {
        add("boolean", "TRUE", "FALSE");
        for (String type : List.of("smallint", "smallserial")) {
            add(type, "1", "0", "-32768");
        }
        for (String type : List.of("int", "serial")) {
            add(type, "1", "0", "-2147483648");
        }
        for (String type : List.of("bigint", "bigserial")) {
            add(type, "9007199254740992", "9007199254740993", "-9223372036854775808");
        }
        add("numeric", "0.1", "0.10000000000000000001", "1e200", "'NaN'", "'Infinity'");
        add("real", "0.1", "0", "'-0'", "16777216", "16777218", "'NaN'", "'-Infinity'");
        add("double precision", "0.3", "0.30000000000000004", "0", "'-0'", "1e308", "5e-324", "'NaN'", "'Infinity'");
        add("char(5)", PADDED);
        for (String type : List.of("varchar(20)", "text", "name", "citext")) {
            add(type, TEXTS);
        }
        add("mood", "'good'", "'bad'");
        add("json", "'{\"a\": 1}'", "'{\"a\":1}'", "'1'", "'\"1\"'", "'null'");
        add("jsonb", "'{\"a\": 1}'", "'{\"a\": 2}'", "'1'", "'\"1\"'", "'null'");
        add("xml", "'<a/>'", "'<a></a>'", "'a'");
        add("bytea", "''", "'\\x00'", "'\\x0000'");
        add("bit(5)", "B'10101'", "B'10100'");
        add("varbit(5)", "B'1'", "B'10'", "B''");
        add("uuid", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12'");
        add("inet", "'10.0.0.1'", "'10.0.0.1/24'", "'::1'");
        add("cidr", "'10.0.0.0/24'", "'10.0.0.0/25'");
        add("macaddr", "'08:00:2b:01:02:03'", "'08:00:2b:01:02:04'");
        add("point", "'(1,2)'", "'(1,2.0000000000000004)'");
        add("date", "'2026-01-01'", "'10000-01-01'", "'0044-03-15 BC'", "'infinity'", "'-infinity'");
        add("time", "'00:00:00'", "'24:00:00'", "'02:30:00.000001'");
        add("timetz", "'02:30:00+02'", "'02:30:00+00'", "'00:30:00+00'");
        add("timestamp", "'2026-10-25 02:30:00'", "'2026-10-25 02:30:00.000001'", "'0044-03-15 BC'", "'infinity'");
        add(
                "timestamptz",
                "'2026-10-25 00:30:00+00'",
                "'2026-10-25 01:30:00+00'",
                "'1800-01-01 00:00:00+00'",
                "'0044-03-15 00:00:00+00 BC'",
                "'infinity'");
        // The database takes the first three for equal.
        add("interval", "'1 mon'", "'30 days'", "'720:00:00'", "'-1 mon'");
        add("int[]", "'{1,2}'", "'{1,NULL}'", "'{{1,2}}'", "'{}'");
        add("text[]", "'{a}'", "'{A}'", "'{\"a \"}'", "'{NULL}'", "'{\"NULL\"}'");
    }

    private void mariaDb(boolean isMySql) {
        add("tinyint(1)", "1", "0", "3", "-1");
        add("tinyint", "1", "0", "-128");
        add("tinyint unsigned", "1", "255");
        add("smallint", "1", "0", "-32768");
        add("smallint unsigned", "1", "65535");
        add("mediumint", "1", "0", "-8388608");
        add("mediumint unsigned", "1", "16777215");
        add("int", "1", "0", "-2147483648");
        add("int unsigned", "1", "4294967295");
        add("bigint", "9007199254740992", "9007199254740993", "-9223372036854775808");
        add("bigint unsigned", "18446744073709551615", "18446744073709551614");
        add("bit(1)", "b'1'", "b'0'");
        add("bit(5)", "b'10101'", "b'00101'", "b'1'");
        add("bit(64)", "18446744073709551615", "18446744073709551614");
        add("decimal(65, 30)", "0.1", "0.100000000000000000000000000001", "12345678901234567890123456789012345.5");
        add("float", "0.1", "0.10000001", "16777216", "16777218", "1.17549435e-38");
        add("double", "0.3", "0.30000000000000004", "1e308", "2.2250738585072014e-308");
        for (String type : List.of("decimal(20, 3) unsigned", "float unsigned", "double unsigned")) {
            add(type, "0.125", "0.25");
        }
        add("char(5)", PADDED);
        for (String type : List.of("varchar(20)", "tinytext", "text", "mediumtext", "longtext")) {
            add(type, TEXTS);
        }
        add("enum('a', 'b')", "'a'", "'b'");
        add("set('a', 'b')", "'a'", "'a,b'", "''");
        add("json", "'{\"a\": 1}'", "'{\"a\": 2}'", "'1'", "'\"1\"'", "'null'");
        add("binary(2)", "x'0001'", "x'0100'");
        for (String type : List.of("varbinary(20)", "tinyblob", "blob", "mediumblob", "longblob")) {
            add(type, "x''", "x'00'", "x'0000'");
        }
        String none = isMySql ? "'1000-01-01'" : "'0000-00-00'";
        add("date", "'2026-01-01'", "'9999-12-31'", none);
        add("time(6)", "'26:30:00'", "'02:30:00'", "'02:30:00.000001'", "'-01:00:00'", "'838:59:59'");
        add("datetime(6)", "'2026-10-25 02:30:00'", "'2026-10-25 02:30:00.000001'", none);
        add("datetime", "'2026-10-25 02:30:00'", "'2026-10-25 02:30:01'", none);
        add(
                "timestamp(6) NULL",
                "'2026-10-25 02:30:00'",
                "'2026-10-25 02:30:00.000001'",
                isMySql ? "'1971-01-01'" : none);
        add("year", "2026", "1901", "2155", "0");
        if (!isMySql) {
            add("uuid", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12'");
            add("inet6", "'::1'", "'::2'");
        }
    }
}
