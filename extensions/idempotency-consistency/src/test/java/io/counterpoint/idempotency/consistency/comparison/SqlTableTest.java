package io.counterpoint.idempotency.consistency.comparison;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import io.counterpoint.idempotency.testing.MariaDbServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.SqlLogger;
import org.jdbi.v3.core.statement.StatementContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables of all databases as sources: their orders, their types. */
@Tag("thorough")
class SqlTableTest {

    private final Map<Kind, TestDatabase> databases = new java.util.EnumMap<>(Kind.class);

    @BeforeEach
    void open() {
        for (Kind kind : Kind.values()) {
            databases.put(kind, TestDatabase.create(kind));
        }
    }

    @AfterEach
    void close() {
        databases.values().forEach(TestDatabase::close);
    }

    private Jdbi jdbi(Kind kind) {
        return databases.get(kind).jdbi();
    }

    private void execute(Kind kind, String... statements) {
        databases.get(kind).execute(statements);
    }

    private static <K> List<K> keys(Source<K> source, int pageSize) {
        List<K> keys = new ArrayList<>();
        Optional<K> last = Optional.empty();
        List<Row<K>> page;
        do {
            page = source.page(last, pageSize);
            page.forEach(row -> keys.add(row.key()));
            last = keys.isEmpty() ? last : Optional.of(keys.get(keys.size() - 1));
        } while (page.size() == pageSize);
        return keys;
    }

    @ParameterizedTest
    @EnumSource
    void identifiersComeInTheOrderOfTheirBytes(Kind kind) {
        execute(kind, "CREATE TABLE app (id uuid PRIMARY KEY)");
        Random random = new Random(1);
        List<UUID> ids = new ArrayList<>();
        jdbi(kind).useHandle(handle -> {
            for (int i = 0; i < 200; i++) {
                UUID id = new UUID(random.nextLong(), random.nextLong());
                ids.add(id);
                handle.execute("INSERT INTO app VALUES (?)", kind == Kind.MARIADB ? id.toString() : id);
            }
        });
        ids.sort(KeyOrder.uuids().comparator());

        assertThat(keys(SqlTable.of(jdbi(kind), "app", "id", KeyOrder.uuids()), 7))
                .containsExactlyElementsOf(ids);
    }

    @ParameterizedTest
    @EnumSource
    void wholeNumbersComeInTheirOrder(Kind kind) {
        execute(
                kind,
                "CREATE TABLE app (id int PRIMARY KEY)",
                "INSERT INTO app VALUES (3), (-5), (0), (2147483647), (20)");

        assertThat(keys(SqlTable.of(jdbi(kind), "app", "id", KeyOrder.longs()), 2))
                .containsExactly(-5L, 0L, 3L, 20L, 2147483647L);
    }

    /** A collation that orders as people do: neither its order nor an index of it is that of the bytes. */
    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    void textsOfAnyCollationComeInTheOrderOfTheirCodePoints(Kind kind) {
        List<String> texts = List.of("a", "B", "c", "\u00e4", "Z", "a-b", "ab", "\uffee", "\ud83d\ude00", "_", "1");
        boolean postgres = kind == Kind.POSTGRESQL;
        Map<String, String> collations = Map.of(
                "old_app", postgres ? "\"C\"" : "utf8mb4_bin",
                "new_app", postgres ? "\"und-x-icu\"" : "utf8mb4_swedish_ci");
        for (String table : collations.keySet()) {
            execute(
                    kind,
                    "CREATE TABLE " + table + " (id text COLLATE " + collations.get(table)
                            + " PRIMARY KEY, owner text)");
            texts.forEach(text -> execute(kind, "INSERT INTO " + table + " VALUES ('" + text + "', 'u')"));
        }
        assertThat(databases.get(kind).list("SELECT id FROM new_app ORDER BY id", String.class))
                .as("the order of the collation itself")
                .isNotEqualTo(
                        texts.stream().sorted(KeyOrder.texts().comparator()).toList());
        SqlTable<String> old =
                SqlTable.of(jdbi(kind), "old_app", "id", KeyOrder.texts()).fields("owner");
        SqlTable<String> replacement =
                SqlTable.of(jdbi(kind), "new_app", "id", KeyOrder.texts()).fields("owner");

        assertThat(keys(replacement, 2))
                .isEqualTo(keys(old, 3))
                .isSortedAccordingTo(KeyOrder.texts().comparator());
        assertThat(Comparison.builder("texts", old, replacement)
                        .pageSize(2)
                        .build()
                        .run()
                        .isClean())
                .isTrue();
    }

    /** MariaDB's own type has an order of its own, which is not that of the bytes. */
    @Test
    void identifiersOfAnotherOrderAreFoundOut() {
        if (MariaDbServer.shared().isMySql()) {
            return;
        }
        List<String> ids = List.of("00000001-0000-1000-8000-000000000000", "00000000-0001-1000-8000-000000000000");
        jdbi(Kind.MARIADB).useHandle(handle -> {
            handle.execute("CREATE TABLE app (id uuid PRIMARY KEY)");
            ids.forEach(id -> handle.execute("INSERT INTO app VALUES (?)", id));
        });
        SqlTable<UUID> app = SqlTable.of(jdbi(Kind.MARIADB), "app", "id", KeyOrder.uuids());
        assertThatThrownBy(() -> Comparison.builder("ids", app, app).build().run())
                .isInstanceOf(OutOfOrderException.class);
        SqlTable<UUID> texts = SqlTable.of(jdbi(Kind.MARIADB), "app", "CAST(id AS char(36))", KeyOrder.uuids());
        assertThat(keys(texts, 1))
                .hasSize(2)
                .isSortedAccordingTo(KeyOrder.uuids().comparator());
    }

    @Test
    void textsInH2ComeInOrderBelowTheSurrogatesAndAreRefusedBeyond() {
        execute(
                Kind.H2,
                "CREATE TABLE app (id varchar(10) PRIMARY KEY)",
                "INSERT INTO app VALUES ('a'), ('B'), ('\u00e4'), ('\ud7ff'), ('\uffee')");
        SqlTable<String> app = SqlTable.of(jdbi(Kind.H2), "app", "id", KeyOrder.texts());
        Comparison<String> comparison =
                Comparison.builder("texts", app, app).pageSize(2).build();
        assertThat(comparison.run().totals().oldRows()).isEqualTo(5);

        execute(Kind.H2, "INSERT INTO app VALUES ('\ud83d\ude00')");

        assertThatThrownBy(comparison::run)
                .isInstanceOf(OutOfOrderException.class)
                .hasMessageContaining("after \ud83d\ude00");
    }

    @Test
    void orderOfAnotherCollationIsFoundOutAndNeverMerged() {
        execute(
                Kind.H2,
                "CREATE TABLE app (id varchar_ignorecase(10) PRIMARY KEY)",
                "INSERT INTO app VALUES ('a'), ('B'), ('c')");
        SqlTable<String> app = SqlTable.of(jdbi(Kind.H2), "app", "id", KeyOrder.texts());

        assertThatThrownBy(() -> Comparison.builder("texts", app, app).build().run())
                .isInstanceOf(OutOfOrderException.class)
                .hasMessageContaining("The old source returned the key B after a");
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    void rowsWithEqualValuesAreEqualInBothDatabases(Kind other) {
        String columns = "id bigint PRIMARY KEY, a_text varchar(20), a_number numeric(12, 4), a_float double precision,"
                + " a_real real, an_int int, a_small smallint, a_flag boolean, an_id uuid, a_day date, a_time time,"
                + " a_moment timestamp with time zone, a_local timestamp";
        String values = "(1, 'x\u00e4\ud83d\ude00', 12.5, 0.1, 0.1, 7, 7, true, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',"
                + " DATE '2026-02-03', TIME '10:11:12', TIMESTAMP WITH TIME ZONE '2026-02-03 10:11:12.123456+02',"
                + " TIMESTAMP '2026-02-03 10:11:12.5'),"
                + " (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)";
        String fields =
                "a_text, a_number, a_float, a_real, an_int, a_small, a_flag, an_id, a_day, a_time, a_moment, a_local";
        execute(Kind.H2, "CREATE TABLE app (" + columns + ", some_bytes varbinary(9))");
        execute(Kind.POSTGRESQL, "CREATE TABLE app (" + columns + ", some_bytes bytea)");
        execute(
                Kind.MARIADB,
                "CREATE TABLE app ("
                        + columns.replace(
                                "a_moment timestamp with time zone, a_local timestamp",
                                "a_moment timestamp(6) NULL, a_local datetime(6)")
                        + ", some_bytes varbinary(9))");
        List<SqlTable<Long>> tables = new ArrayList<>();
        for (Kind kind : List.of(Kind.H2, other)) {
            String own = kind == Kind.MARIADB
                    ? values.replaceFirst(
                            "TIMESTAMP WITH TIME ZONE ('[^']*)[+]02'", "convert_tz($1', '+02:00', @@session.time_zone)")
                    : values;
            execute(kind, "INSERT INTO app (id, " + fields + ") VALUES " + own);
            jdbi(kind)
                    .useHandle(handle ->
                            handle.execute("UPDATE app SET some_bytes = ? WHERE id = 1", (Object) new byte[] {1, -1}));
            tables.add(SqlTable.of(jdbi(kind), "app", "id", KeyOrder.longs())
                    .fields(fields.split(", ", -1))
                    .fields("some_bytes"));
        }
        Comparison<Long> comparison = Comparison.builder("types", tables.get(0), tables.get(1))
                .minimumAge(java.time.Duration.ZERO)
                .build();
        ComparisonReport<Long> report = comparison.run();
        assertThat(report.isClean()).as(report.table()).isTrue();

        execute(
                Kind.H2,
                "UPDATE app SET a_text = 'y', a_number = 12.5001, a_float = 0.2, a_real = 0.2, an_int = 8, a_small = 8,"
                        + " a_flag = false, an_id = 'b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', a_day = DATE '2026-02-04',"
                        + " a_time = TIME '10:11:13',"
                        + " a_moment = TIMESTAMP WITH TIME ZONE '2026-02-03 10:11:12.123457+02',"
                        + " a_local = TIMESTAMP '2026-02-03 10:11:12.6', some_bytes = X'01' WHERE id = 1");

        assertThat(comparison.run().findings(0, 9))
                .singleElement()
                .satisfies(finding -> assertThat(finding.<List<String>>fold(
                                old -> List.of(), replacement -> List.of(), Finding.Different::fields))
                        .hasSize(13));
        RepairResult<Long> repaired = comparison.repair(Side.OLD).build().apply();
        assertThat(repaired.isClean()).as(repaired.table()).isTrue();
        assertThat(repaired.counts().updates()).isEqualTo(1);
        execute(other, "DELETE FROM app");
        assertThat(comparison.run().totals().missingInNew()).isEqualTo(2);
        assertThat(comparison.repair(Side.OLD).build().apply().isClean()).isTrue();
        execute(Kind.H2, "DELETE FROM app WHERE id = 1", "UPDATE app SET an_int = 1 WHERE id = 2");
        assertThat(comparison.run().totals().findings()).isEqualTo(2);
        assertThat(comparison.repair(Side.NEW).build().apply().isClean()).isTrue();
    }

    @Test
    void typesThatOnlyPostgreSqlHasAreComparedAndRepaired() {
        execute(Kind.POSTGRESQL, "CREATE TYPE mood AS ENUM ('good', 'bad')");
        for (String table : List.of("old_app", "new_app")) {
            execute(
                    Kind.POSTGRESQL,
                    "CREATE TABLE " + table + " (id serial PRIMARY KEY, settings jsonb, tags text[], feels mood,"
                            + " address inet, seen timestamptz)");
        }
        execute(
                Kind.POSTGRESQL,
                "INSERT INTO old_app VALUES (1, '{\"a\": 1}', '{x,\"y z\"}', 'good', '10.0.0.1', 'infinity'),"
                        + " (2, '{}', '{}', 'bad', '10.0.0.2', now())",
                "INSERT INTO new_app VALUES (1, '{\"a\":  2}', '{x}', 'bad', NULL, now())");
        Comparison<Long> comparison = Comparison.builder("types", postgres("old_app"), postgres("new_app"))
                .minimumAge(java.time.Duration.ZERO)
                .build();
        assertThat(comparison.run().totals().findings()).isEqualTo(2);

        RepairResult<Long> repaired = comparison.repair(Side.OLD).build().apply();

        assertThat(repaired.isClean()).as(repaired.table()).isTrue();
        assertThat(databases
                        .get(Kind.POSTGRESQL)
                        .count("old_app o JOIN new_app n USING (id, settings, tags, feels, address, seen)"))
                .isEqualTo(2);
    }

    private SqlTable<Long> postgres(String table) {
        return SqlTable.of(jdbi(Kind.POSTGRESQL), table, "id", KeyOrder.longs())
                .fields("settings", "tags", "feels", "address", "seen");
    }

    @ParameterizedTest
    @EnumSource
    void conditionHoldsForPagesAndForTheSecondLook(Kind kind) {
        execute(
                kind,
                "CREATE TABLE app (id int PRIMARY KEY, deleted boolean)",
                "INSERT INTO app VALUES (1, true), (2, false), (3, true)");
        SqlTable<Long> app =
                SqlTable.of(jdbi(kind), "app", "id", KeyOrder.longs()).where("deleted = false OR id = 3");

        assertThat(keys(app, 1)).containsExactly(2L, 3L);
        assertThat(app.find(List.of(1L, 2L, 3L)).stream().map(Row::key)).containsExactlyInAnyOrder(2L, 3L);
    }

    @ParameterizedTest
    @EnumSource
    void keyThatIsNullIsRefused(Kind kind) {
        execute(kind, "CREATE TABLE app (id int)", "INSERT INTO app VALUES (NULL)");
        SqlTable<Long> app = SqlTable.of(jdbi(kind), "app", "id", KeyOrder.longs());

        assertThatThrownBy(() -> Comparison.builder("nulls", app, app).build().run())
                .isInstanceOf(SourceFailedException.class)
                .hasMessageContaining("a key must not be null");
    }

    /** With the index that the documentation asks for, a page is a piece of it however far it lies behind. */
    @ParameterizedTest
    @EnumSource
    void pagesOfTextsAreReadFromAnIndex(Kind kind) {
        String collation = kind == Kind.MARIADB ? " COLLATE utf8mb4_bin" : "";
        execute(
                kind,
                "CREATE TABLE app (id varchar(20)" + collation + " PRIMARY KEY, name varchar(20))",
                "INSERT INTO app SELECT concat('k', x), 'name' FROM ("
                        + databases.get(kind).numbers(1, 10_000) + ") AS numbers",
                kind == Kind.POSTGRESQL ? "CREATE INDEX app_in_order ON app (id COLLATE \"C\")" : "SELECT 1",
                kind == Kind.MARIADB ? "ANALYZE TABLE app" : "ANALYZE");
        Jdbi traced = Jdbi.create(() -> jdbi(kind).open().getConnection());
        List<String> statements = new ArrayList<>();
        traced.setSqlLogger(new SqlLogger() {
            @Override
            public void logBeforeExecution(StatementContext context) {
                statements.add(context.getRenderedSql());
            }
        });
        assertThat(SqlTable.of(traced, "app", "id", KeyOrder.texts()).page(Optional.of("k5"), 9))
                .hasSize(9);

        String explain = (kind == Kind.MARIADB ? "EXPLAIN FORMAT=JSON " : "EXPLAIN ")
                + statements.stream()
                        .filter(sql -> sql.contains("ORDER BY"))
                        .findFirst()
                        .orElseThrow()
                        .replace("?", "'k5'");
        assertThat(String.join("\n", databases.get(kind).list(explain, String.class)))
                .contains(
                        switch (kind) {
                            case H2 -> "/* index sorted */";
                            case POSTGRESQL -> "app_in_order";
                            case MARIADB -> "PRIMARY";
                        })
                .doesNotContain("Sort", "sort\": true", "filesort\": {", "filesort\": true");
    }
}
