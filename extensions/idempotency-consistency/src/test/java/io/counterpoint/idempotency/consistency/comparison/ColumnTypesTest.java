package io.counterpoint.idempotency.consistency.comparison;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import io.counterpoint.idempotency.testing.MariaDbServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every type of each database's catalogue: its values are distinguished and repaired without loss, or it is refused by name.
 * {@link TypeSamples} puts values next to each other that are easily confused.
 */
@Tag("thorough")
class ColumnTypesTest {

    private static final Path PAGE = Path.of("../../docs/consistency/checks.md");

    private TestDatabase database;
    private int tables;

    @BeforeEach
    void none() {
        tables = 0;
    }

    @AfterEach
    void close() {
        database.close();
    }

    private void open(Kind kind) {
        database = TestDatabase.create(kind);
        if (kind == Kind.POSTGRESQL) {
            execute("CREATE TYPE mood AS ENUM ('good', 'bad')", "CREATE EXTENSION citext");
        }
    }

    /** As they stand: {@link TestDatabase#execute} puts other types in the place of some. */
    private void execute(String... statements) {
        database.jdbi().useHandle(handle -> List.of(statements).forEach(handle::execute));
    }

    /** The driver's name of a type, or nothing if no column has it. */
    private List<String> columnOf(String type, String table) {
        try {
            execute("CREATE TABLE " + table + " (id int PRIMARY KEY, x " + type + ")");
        } catch (RuntimeException noType) {
            return List.of();
        }
        return database.jdbi()
                .withHandle(handle -> handle.createQuery("SELECT x FROM " + table)
                        .scanResultSet((rows, context) ->
                                List.of(rows.get().getMetaData().getColumnTypeName(1))));
    }

    private SqlTable<Long> table(String name) {
        return SqlTable.of(database.jdbi(), name, "id", KeyOrder.longs()).fields("x");
    }

    @ParameterizedTest
    @EnumSource
    void valuesThatAreEasilyConfusedDifferAndAreRepaired(Kind kind) {
        open(kind);
        List<String> lossy = new ArrayList<>();
        TypeSamples.of(kind).forEach((type, values) -> {
            String old = "old_" + tables;
            String replacement = "new_" + tables++;
            assertThat(columnOf(type, old)).as(type).isNotEmpty();
            assertThat(columnOf(type, replacement)).as(type).isNotEmpty();
            for (int i = 0; i < values.size(); i++) {
                String next = values.get((i + 1) % values.size());
                execute(
                        "INSERT INTO " + old + " VALUES (" + i + ", " + values.get(i) + ")",
                        "INSERT INTO " + replacement + " VALUES (" + i + ", " + next + ")");
            }
            Comparison<Long> comparison = Comparison.builder("types", table(old), table(replacement))
                    .minimumAge(Duration.ZERO)
                    .build();
            long found = comparison.run().totals().findings();
            RepairResult<Long> updated = comparison.repair(Side.OLD).build().apply();
            long same = same(kind, type, old, replacement);
            execute("DELETE FROM " + replacement);
            ComparisonReport<Long> unused = comparison.run();
            RepairResult<Long> inserted = comparison.repair(Side.OLD).build().apply();
            long all = same(kind, type, old, replacement);
            if (found != values.size() || same != found || all != found || !updated.isClean() || !inserted.isClean()) {
                lossy.add(type + ": of " + values.size() + " values " + found + " differ, " + same
                        + " are the same after " + updated.table() + ", " + all + " after " + inserted.table());
            }
        });
        assertThat(lossy).isEmpty();
    }

    /** How many rows have the same value, byte by byte. */
    private long same(Kind kind, String type, String old, String replacement) {
        String text = switch (kind) {
            case POSTGRESQL -> "CAST(o.x AS text) IS NOT DISTINCT FROM CAST(n.x AS text)";
            case H2 ->
                type.contains("b") && (type.contains("binary") || type.equals("blob"))
                        ? "o.x IS NOT DISTINCT FROM n.x"
                        : "CAST(o.x AS varchar) IS NOT DISTINCT FROM CAST(n.x AS varchar)";
            case MARIADB -> "o.x <=> n.x AND CAST(o.x AS binary) <=> CAST(n.x AS binary)";
        };
        return database.count(old + " o JOIN " + replacement + " n ON o.id = n.id AND " + text);
    }

    @ParameterizedTest
    @EnumSource
    void everyOtherTypeIsRefusedByName(Kind kind) {
        open(kind);
        String plain = "plain";
        assertThat(columnOf("int", plain)).isNotEmpty();
        Set<String> proven = new LinkedHashSet<>();
        TypeSamples.of(kind).keySet().forEach(type -> proven.addAll(columnOf(type, "sampled_" + tables++)));
        for (String type : catalogue(kind)) {
            String name = "other_" + tables++;
            for (String known : columnOf(type, name)) {
                if (proven.contains(known)) {
                    continue;
                }
                boolean isOld = tables % 2 == 0;
                assertThat(catchThrowable(() -> Comparison.builder(
                                        "types", table(isOld ? name : plain), table(isOld ? plain : name))
                                .build()))
                        .as(type + ", " + known)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining(known)
                        .hasMessageContaining("without loss");
            }
        }
    }

    /** As a service builds its comparisons, before its first migration. */
    @ParameterizedTest
    @CsvSource({"H2, interval day", "POSTGRESQL, money", "MARIADB, point"})
    void tableThatIsMissingIsAskedByTheRun(Kind kind, String type) {
        open(kind);
        execute("CREATE TABLE plain (id int PRIMARY KEY, x int)");
        Comparison<Long> comparison =
                Comparison.builder("later", table("plain"), table("later")).build();
        execute("CREATE TABLE later (id int PRIMARY KEY, x " + type + ")");
        assertThat(catchThrowable(comparison::run)).hasStackTraceContaining("without loss");
    }

    /** Without its lengths. */
    @ParameterizedTest
    @EnumSource
    void pageListsTheTypes(Kind kind) throws IOException {
        open(kind);
        String server = kind == Kind.MARIADB
                ? MariaDbServer.shared().isMySql() ? "MySQL" : "MariaDB"
                : kind == Kind.H2 ? "H2" : "PostgreSQL";
        String row = TypeSamples.of(kind).keySet().stream()
                .map(type -> type.replaceFirst("[(].*[)]", "")
                        .replaceFirst(" (unsigned|NULL)$", "")
                        .replace("mood", "enumerations"))
                .distinct()
                .collect(Collectors.joining(", ", "| " + server + " | ", " |"));
        assertThat(Files.readString(PAGE).lines().anyMatch(row::equals)).as(row).isTrue();
    }

    /** Both sides are tables of one server. */
    @Test
    void momentsAreTheSameInSessionsOfAnyZone() {
        String url = MariaDbServer.shared().createDatabase();
        database = TestDatabase.at(url + "&sessionVariables=time_zone='-05:00'");
        try (TestDatabase other = TestDatabase.at(url + "&sessionVariables=time_zone='-03:30'")) {
            execute(
                    "CREATE TABLE old_one (id int PRIMARY KEY, x timestamp(6) NULL)",
                    "CREATE TABLE new_one (id int PRIMARY KEY, x timestamp(6) NULL)",
                    "INSERT INTO old_one VALUES (1, '2026-10-24 20:30:00'), (2, '2026-10-24 21:30:00')",
                    "INSERT INTO new_one VALUES (1, '2026-10-24 20:30:00'), (2, '2026-10-24 20:30:00')");
            SqlTable<Long> there =
                    SqlTable.of(other.jdbi(), "new_one", "id", KeyOrder.longs()).fields("x");
            Comparison<Long> comparison = Comparison.builder("moments", table("old_one"), there)
                    .minimumAge(Duration.ZERO)
                    .build();

            assertThat(comparison.run().totals().findings()).isEqualTo(1);
            assertThat(comparison.repair(Side.OLD).build().apply().isClean()).isTrue();

            assertThat(database.count("old_one o JOIN new_one n USING (id, x)")).isEqualTo(2);
        }
    }

    private List<String> catalogue(Kind kind) {
        List<String> types = new ArrayList<>(TypeSamples.others(kind));
        database.jdbi().useHandle(handle -> {
            if (kind == Kind.POSTGRESQL) {
                types.addAll(handle.createQuery(
                                "SELECT quote_ident(typname) FROM pg_type WHERE typtype IN ('b', 'r', 'm')"
                                        + " AND typcategory <> 'A' AND typnamespace = CAST('pg_catalog' AS regnamespace)")
                        .mapTo(String.class)
                        .list());
                return;
            }
            try (ResultSet row = handle.getConnection().getMetaData().getTypeInfo()) {
                while (row.next()) {
                    types.add(row.getString("TYPE_NAME"));
                }
            } catch (SQLException impossible) {
                throw new IllegalStateException(impossible);
            }
        });
        return types;
    }
}
