package io.counterpoint.idempotency.consistency.comparison;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.statement.SqlLogger;
import org.jdbi.v3.core.statement.StatementContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Values that go from one type, database or session to another, and expressions that stand for columns. */
@Tag("thorough")
class ValuesBetweenTablesTest {

    private final Map<Kind, TestDatabase> databases = new EnumMap<>(Kind.class);

    @AfterEach
    void close() {
        databases.values().forEach(TestDatabase::close);
    }

    private TestDatabase on(Kind kind) {
        return databases.computeIfAbsent(kind, TestDatabase::create);
    }

    private void execute(Kind kind, String... statements) {
        on(kind).jdbi().useHandle(handle -> List.of(statements).forEach(handle::execute));
    }

    private SqlTable<Long> table(Kind kind, String name) {
        return SqlTable.of(on(kind).jdbi(), name, "id", KeyOrder.longs());
    }

    private static <K> Comparison<K> comparison(SqlTable<K> old, SqlTable<K> replacement) {
        return Comparison.builder("values", old, replacement)
                .minimumAge(Duration.ZERO)
                .build();
    }

    private static <K> RepairResult<K> repaired(SqlTable<K> old, SqlTable<K> replacement) {
        Comparison<K> comparison = comparison(old, replacement);
        ComparisonReport<K> unused = comparison.run();
        return comparison.repair(Side.OLD).allowDeletes().build().apply();
    }

    /** The application writes the row that is missing, with its tenant, while the repair writes one without. */
    @ParameterizedTest
    @EnumSource
    void rowOutsideOfTheConditionIsNotCommittedBesideOneThatMeetsIt(Kind kind) {
        for (String name : List.of("old_one", "new_one")) {
            execute(
                    kind,
                    "CREATE TABLE " + name
                            + " (tenant int DEFAULT 9 NOT NULL, id int, v int, PRIMARY KEY (tenant, id))");
        }
        execute(kind, "INSERT INTO old_one VALUES (7, 1, 1)");
        String url = on(kind).url();
        Jdbi repairing = kind == Kind.H2 ? Jdbi.create(url, "sa", "") : Jdbi.create(url);
        AtomicBoolean written = new AtomicBoolean();
        repairing.setSqlLogger(new SqlLogger() {
            @Override
            public void logAfterExecution(StatementContext context) {
                if (String.valueOf(context.getRenderedSql()).startsWith("INSERT INTO new_one")
                        && written.compareAndSet(false, true)) {
                    CompletableFuture.runAsync(() -> execute(kind, "INSERT INTO new_one VALUES (7, 1, 1)"))
                            .join();
                }
            }
        });
        Comparison<Long> comparison = Comparison.builder(
                        "values",
                        table(kind, "old_one").fields("v").where("tenant = 7"),
                        SqlTable.of(repairing, "new_one", "id", KeyOrder.longs())
                                .fields("v")
                                .where("tenant = 7"))
                .minimumAge(Duration.ZERO)
                .ignoring("tenant")
                .build();
        assertThat(comparison.run().totals().findings()).isEqualTo(1);

        RepairResult<Long> result = comparison.repair(Side.OLD).build().apply();

        assertThat(result.counts().inserts()).as(result.table()).isZero();
        assertThat(written).isTrue();
        assertThat(on(kind).list("SELECT tenant FROM new_one", Integer.class)).containsExactly(7);
    }

    /** It deletes softly: the repair's row is not there any more, and nobody would report what the trigger did. */
    @Test
    void whatATriggerDoesInsteadIsRolledBack() {
        for (String name : List.of("old_one", "new_one")) {
            execute(Kind.POSTGRESQL, "CREATE TABLE " + name + " (id int PRIMARY KEY, gone int)");
        }
        execute(
                Kind.POSTGRESQL,
                "INSERT INTO new_one VALUES (1, NULL)",
                "CREATE FUNCTION softly() RETURNS trigger LANGUAGE plpgsql AS"
                        + " $$ BEGIN UPDATE new_one SET gone = 1 WHERE id = OLD.id; RETURN NULL; END $$",
                "CREATE TRIGGER softly BEFORE DELETE ON new_one FOR EACH ROW EXECUTE FUNCTION softly()");
        Comparison<Long> comparison = Comparison.builder(
                        "values",
                        table(Kind.POSTGRESQL, "old_one").where("gone IS NULL"),
                        table(Kind.POSTGRESQL, "new_one").where("gone IS NULL"))
                .minimumAge(Duration.ZERO)
                .ignoring("gone")
                .build();
        assertThat(comparison.run().totals().findings()).isEqualTo(1);

        RepairResult<Long> result =
                comparison.repair(Side.OLD).allowDeletes().build().apply();

        assertThat(result.counts().deletes()).isZero();
        assertThat(on(Kind.POSTGRESQL).count("new_one WHERE gone IS NULL")).isEqualTo(1);
    }

    @Test
    void rowThatATriggerKeepsIsNamed() {
        for (String name : List.of("old_one", "new_one")) {
            execute(Kind.POSTGRESQL, "CREATE TABLE " + name + " (id int PRIMARY KEY, v int)");
        }
        execute(
                Kind.POSTGRESQL,
                "INSERT INTO old_one VALUES (1, 1), (2, 2)",
                "INSERT INTO new_one VALUES (1, 0)",
                "CREATE FUNCTION kept() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$",
                "CREATE TRIGGER kept BEFORE INSERT OR UPDATE ON new_one FOR EACH ROW EXECUTE FUNCTION kept()");

        RepairResult<Long> result = repaired(
                table(Kind.POSTGRESQL, "old_one").fields("v"),
                table(Kind.POSTGRESQL, "new_one").fields("v"));

        assertThat(result.unrepaired())
                .hasSize(2)
                .allSatisfy(row -> assertThat(row.why()).contains("trigger"));
    }

    @ParameterizedTest
    @EnumSource
    void expressionIsOneConditionOfARepair(Kind kind) {
        for (String name : List.of("old_one", "new_one")) {
            execute(
                    kind,
                    "CREATE TABLE " + name + " (id int PRIMARY KEY, a boolean, b boolean, v varchar(10))",
                    "INSERT INTO " + name + " VALUES (1, NULL, FALSE, 'x'), (7, FALSE, NULL, 'stale')");
        }
        execute(kind, "UPDATE new_one SET v = 'y' WHERE id = 1");

        RepairResult<Long> result = repaired(
                table(kind, "old_one").field("on", "a OR b", "a", "?").fields("v"),
                table(kind, "new_one").field("on", "a OR b", "a", "?").fields("v"));

        assertThat(result.isClean()).as(result.table()).isTrue();
        assertThat(on(kind).list("SELECT v FROM new_one ORDER BY id", String.class))
                .containsExactly("x", "stale");
        execute(kind, "DELETE FROM old_one WHERE id = 1");
        assertThat(repaired(
                                table(kind, "old_one")
                                        .field("on", "a OR b", "a", "?")
                                        .fields("v"),
                                table(kind, "new_one")
                                        .field("on", "a OR b", "a", "?")
                                        .fields("v"))
                        .isClean())
                .isTrue();
        assertThat(on(kind).list("SELECT id FROM new_one", Integer.class)).containsExactly(7);
    }

    @ParameterizedTest
    @EnumSource
    void identifierInUpperCaseIsRefused(Kind kind) {
        String binary = kind == Kind.MARIADB ? " COLLATE utf8mb4_bin" : "";
        execute(
                kind,
                "CREATE TABLE app (id char(36)" + binary + " PRIMARY KEY)",
                "INSERT INTO app VALUES ('A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11')");
        SqlTable<UUID> app = SqlTable.of(on(kind).jdbi(), "app", "id", KeyOrder.uuids());
        assertThatThrownBy(() -> comparison(app, app).run()).hasStackTraceContaining("in a form other than a0ee");
    }

    @ParameterizedTest
    @EnumSource
    void rowThatAnotherOneKeepsOutIsNamedWithTheReason(Kind kind) {
        for (String name : List.of("old_one", "new_one")) {
            execute(kind, "CREATE TABLE " + name + " (id int PRIMARY KEY, email varchar(9) UNIQUE, gone int)");
        }
        execute(kind, "INSERT INTO old_one VALUES (1, 'a', 0)", "INSERT INTO new_one VALUES (2, 'a', 1)");
        RepairResult<Long> result = repaired(
                table(kind, "old_one").fields("email", "gone"),
                table(kind, "new_one").fields("email", "gone").where("gone = 0"));
        assertThat(result.unrepaired())
                .singleElement()
                .satisfies(row -> assertThat(row.key()).isEqualTo(1L));
    }

    /** The value of the second type is what the first one's text says. */
    @ParameterizedTest
    @CsvSource({
        "POSTGRESQL, double precision, MARIADB, double, 1e308",
        "POSTGRESQL, double precision, MARIADB, double, 1.5e-300",
        "POSTGRESQL, real, MARIADB, float, 0.1",
        "H2, double precision, MARIADB, double, 0.30000000000000004",
        "MARIADB, float, MARIADB, double, 0.1",
        "MARIADB, float, POSTGRESQL, double precision, 0.1",
        "MARIADB, float, H2, double precision, 0.1",
        "'MARIADB', float, MARIADB, 'decimal(20, 10)', 0.1",
        "MARIADB, float, POSTGRESQL, numeric, 16777218",
        "MARIADB, double, POSTGRESQL, numeric, 0.30000000000000004",
        "MARIADB, double, H2, 'decimal(20, 17)', 0.30000000000000004",
        "H2, real, POSTGRESQL, numeric, 0.1",
        "POSTGRESQL, numeric, MARIADB, double, 0.1"
    })
    void numberGoesToAnotherTypeByItsText(Kind from, String oldType, Kind to, String newType, String value) {
        execute(
                from,
                "CREATE TABLE old_one (id int PRIMARY KEY, x " + oldType + ")",
                "INSERT INTO old_one VALUES (1, " + value + "), (2, -" + value + ")");
        execute(
                to,
                "CREATE TABLE new_one (id int PRIMARY KEY, x " + newType + ")",
                "INSERT INTO new_one VALUES (1, 7)");
        RepairResult<Long> result = repaired(
                table(from, "old_one").fields("x"), table(to, "new_one").fields("x"));
        assertThat(result.isClean()).as(result.table()).isTrue();
        assertThat(result.counts().changes()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void equalFloatsAreEqualInEachDatabase(boolean isDouble) {
        Map<Kind, String> types = isDouble
                ? Map.of(Kind.H2, "double precision", Kind.POSTGRESQL, "double precision", Kind.MARIADB, "double")
                : Map.of(Kind.H2, "real", Kind.POSTGRESQL, "real", Kind.MARIADB, "float");
        for (Kind kind : Kind.values()) {
            execute(kind, "CREATE TABLE app (id int PRIMARY KEY, x " + types.get(kind) + ")");
            on(kind).jdbi().useHandle(handle -> fill(handle, isDouble));
        }
        for (Kind kind : List.of(Kind.H2, Kind.MARIADB)) {
            assertThat(comparison(
                                    table(Kind.POSTGRESQL, "app").fields("x"),
                                    table(kind, "app").fields("x"))
                            .run()
                            .totals()
                            .findings())
                    .isZero();
        }
    }

    /** Each Java compares it with the texts of another one, and of a database. */
    @Test
    void floatHasTheFewestDigitsOnEachJava() {
        assertThat(ColumnType.shortest(7.1187772E11f)).isEqualTo(new BigDecimal("7.118777E+11"));
        assertThat(ColumnType.shortest(2.0E-3)).isEqualTo(new BigDecimal("0.002"));
        assertThat(ColumnType.shortest(-0.0)).isEqualTo("-0");
        assertThat(ColumnType.shortest(Float.NaN)).isEqualTo("NaN");
    }

    private static void fill(Handle handle, boolean isDouble) {
        Random random = new Random(7);
        PreparedBatch batch = handle.prepareBatch("INSERT INTO app VALUES (?, ?)");
        for (int i = 0; i < 4_000; i++) {
            double value = isDouble
                    ? Double.longBitsToDouble(random.nextLong() & 0x7fdf_ffff_ffff_ffffL)
                    : Float.intBitsToFloat(random.nextInt() & 0x7eff_ffff);
            batch.bind(0, i)
                    .bind(1, Math.abs(value) < 1e-30 ? 0.5 + i / 7.0 : value)
                    .add();
        }
        int[] unused = batch.execute();
    }

    @ParameterizedTest
    @EnumSource
    void expressionThatIsWrittenTakesTheTypeOfItsValue(Kind kind) {
        execute(
                kind,
                "CREATE TABLE old_one (id int PRIMARY KEY, amount numeric(12, 2))",
                "CREATE TABLE new_one (id int PRIMARY KEY, amount bigint)",
                "INSERT INTO old_one VALUES (1, 2.50), (2, 123.45)",
                "INSERT INTO new_one VALUES (1, 1)");
        assertThat(repaired(
                                table(kind, "old_one").fields("amount"),
                                table(kind, "new_one").field("amount", "amount / 100.0", "amount", "? * 100"))
                        .isClean())
                .isTrue();
        assertThat(on(kind).list("SELECT amount FROM new_one ORDER BY id", Long.class))
                .containsExactly(250L, 12345L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"upper(name)", "coalesce(?, '?')"})
    void expressionThatIsWrittenHasOneQuestionMark(String written) {
        SqlTable<Long> app = table(Kind.H2, "app");
        assertThatThrownBy(() -> app.field("name", "name", "name", written))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("one question mark");
    }

    @ParameterizedTest
    @EnumSource
    void paddedKeyIsTheSameKey(Kind kind) {
        execute(
                kind,
                "CREATE TABLE old_one (id char(5) PRIMARY KEY, v int)",
                "CREATE TABLE new_one (id varchar(5) PRIMARY KEY, v int)",
                "INSERT INTO old_one VALUES ('a', 1), ('b', 2)",
                "INSERT INTO new_one VALUES ('a', 1), ('b', 1)");
        SqlTable<String> old =
                SqlTable.of(on(kind).jdbi(), "old_one", "id", KeyOrder.texts()).fields("v");
        SqlTable<String> replacement =
                SqlTable.of(on(kind).jdbi(), "new_one", "id", KeyOrder.texts()).fields("v");
        assertThat(comparison(old, replacement).run().totals().findings()).isEqualTo(1);
        assertThat(repaired(old, replacement).counts().updates()).isEqualTo(1);
        execute(kind, "UPDATE new_one SET v = 3");
        assertThat(repaired(replacement, old).counts().updates()).isEqualTo(2);
    }

    /** It shows fewer digits, other offsets and other words than another one. */
    @Test
    void settingsOfAPostgreSqlSessionChangeNoValue() throws SQLException {
        execute(
                Kind.POSTGRESQL,
                "CREATE TABLE old_one (id int PRIMARY KEY, x float8, since timestamptz, pause interval, times timestamptz[])",
                "INSERT INTO old_one VALUES (1, 0.30000000000000004, '0001-01-01 00:00:00+00', '1 mon -3 hours',"
                        + " ARRAY[CAST('2026-10-25 00:30:00+00' AS timestamptz)])",
                "CREATE TABLE new_one (LIKE old_one)",
                "INSERT INTO new_one SELECT * FROM old_one");
        try (Handle handle = on(Kind.POSTGRESQL).jdbi().open()) {
            handle.execute("SET TimeZone = 'Europe/Berlin'");
            handle.execute("SET IntervalStyle = 'iso_8601'");
            handle.execute("SET extra_float_digits = 0");
            Jdbi session = Jdbi.create(handle.getConnection());
            SqlTable<Long> there =
                    SqlTable.of(session, "new_one", "id", KeyOrder.longs()).fields("x", "since", "pause", "times");
            SqlTable<Long> here = table(Kind.POSTGRESQL, "old_one").fields("x", "since", "pause", "times");

            assertThat(comparison(here, there).run().totals().findings()).isZero();
            execute(Kind.POSTGRESQL, "UPDATE new_one SET x = 0.3");
            assertThat(comparison(here, there).run().totals().findings()).isEqualTo(1);
            assertThat(repaired(here, there).isClean()).isTrue();

            assertThat(handle.createQuery("SELECT current_setting('TimeZone')").mapTo(String.class))
                    .containsExactly("Europe/Berlin");
        }
    }

    @Test
    void enumerationMayHaveAQuotedNameAndArrays() {
        execute(
                Kind.POSTGRESQL,
                "CREATE TYPE mood AS ENUM ('calm')",
                "CREATE TYPE \"Mood\" AS ENUM ('good', 'bad')",
                "CREATE TABLE old_one (id int PRIMARY KEY, x \"Mood\", y \"Mood\"[])",
                "CREATE TABLE new_one (id int PRIMARY KEY, x \"Mood\", y \"Mood\"[])",
                "INSERT INTO old_one VALUES (1, 'good', '{good,bad}')",
                "INSERT INTO new_one VALUES (1, 'bad', '{}')");
        assertThat(repaired(
                                table(Kind.POSTGRESQL, "old_one").fields("x", "y"),
                                table(Kind.POSTGRESQL, "new_one").fields("x", "y"))
                        .isClean())
                .isTrue();
    }
}
