package io.counterpoint.idempotency.consistency.comparison;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.JdbiException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Repairs: only what was found, only as it was found, no more than is allowed, and verified. */
@Tag("thorough")
class RepairPlanTest {

    private static final String[] TABLES = {"old_app", "new_app"};

    /** Does something in the instant before the changes are made. */
    private record Hooked(SqlTable<Long> table, Runnable before) implements Source<Long>, RepairTarget<Long> {
        @Override
        public KeyOrder<Long> order() {
            return table.order();
        }

        @Override
        public List<Row<Long>> page(Optional<Long> after, int limit) {
            return table.page(after, limit);
        }

        @Override
        public List<Row<Long>> find(Collection<Long> keys) {
            return table.find(keys);
        }

        @Override
        public List<Change<Long>> apply(List<Change<Long>> changes) {
            before.run();
            return table.apply(changes);
        }
    }

    /** Two tables with ten rows each, of which four differ: 2 is missing in new, 4 in old, 6 and 8 have other names. */
    private static TestDatabase damaged(Kind kind) {
        TestDatabase database = TestDatabase.create(kind);
        for (String table : TABLES) {
            database.execute("CREATE TABLE " + table
                    + " (id int PRIMARY KEY, name varchar(20), hits int, version int DEFAULT 1 NOT NULL)");
            for (int id = 1; id <= 10; id++) {
                database.execute("INSERT INTO " + table + " VALUES (" + id + ", 'app " + id + "', 0, 1)");
            }
        }
        database.execute(
                "DELETE FROM new_app WHERE id = 2",
                "DELETE FROM old_app WHERE id = 4",
                "UPDATE new_app SET name = 'wrong' WHERE id IN (6, 8)",
                "UPDATE new_app SET hits = 7 WHERE id = 8",
                "CREATE TABLE audit (id int, made varchar(10))");
        return database;
    }

    private static SqlTable<Long> table(TestDatabase database, String name) {
        return SqlTable.of(database.jdbi(), name, "id", KeyOrder.longs())
                .fields("name", "hits")
                .version("version", "version + 1")
                .audit(RepairPlanTest::audit);
    }

    private static void audit(Handle handle, Change<Long> change) {
        handle.execute(
                "INSERT INTO audit VALUES (?, ?)",
                change.key(),
                change.<String>fold(insert -> "insert", update -> "update", delete -> "delete"));
    }

    private static Comparison<Long> compared(TestDatabase database, Source<Long> replacement) {
        Comparison<Long> comparison = Comparison.builder("apps", table(database, "old_app"), replacement)
                .clock(new TestClock())
                .ignoring("hits")
                .build();
        assertThat(comparison.run().totals().findings()).isEqualTo(4);
        return comparison;
    }

    private static Comparison<Long> compared(TestDatabase database) {
        return compared(database, table(database, "new_app"));
    }

    private static List<String> rows(TestDatabase database, String table) {
        return database.list(
                "SELECT concat(id, ' ', name, ' ', hits, ' ', version) FROM " + table + " ORDER BY id", String.class);
    }

    @ParameterizedTest
    @EnumSource
    void dryRunReportsTheRepairAndChangesNothing(Kind kind) {
        try (TestDatabase database = damaged(kind)) {
            Comparison<Long> comparison = compared(database);
            List<String> before = rows(database, "new_app");

            RepairResult<Long> result =
                    comparison.repair(Side.OLD).allowDeletes().build().dryRun();

            assertThat(result.counts()).isEqualTo(new RepairResult.Counts(1, 2, 1, 0, 0, 0, 0, 0, 0));
            assertThat(result.changes().stream().map(Change::key)).containsExactly(2L, 4L, 6L, 8L);
            assertThat(rows(database, "new_app")).isEqualTo(before);
            assertThat(database.count("audit")).isZero();
            assertThat(comparison.run().totals().findings()).isEqualTo(4);
        }
    }

    @ParameterizedTest
    @EnumSource
    void wrongSideBecomesLikeTheRightOneAndNothingElseChanges(Kind kind) {
        try (TestDatabase database = damaged(kind)) {
            Comparison<Long> comparison = compared(database);
            List<String> right = rows(database, "old_app");

            RepairResult<Long> result =
                    comparison.repair(Side.OLD).allowDeletes().build().apply();

            assertThat(result.counts()).isEqualTo(new RepairResult.Counts(1, 2, 1, 0, 0, 0, 0, 0, 0));
            assertThat(result.isClean()).isTrue();
            assertThat(rows(database, "old_app")).isEqualTo(right);
            assertThat(rows(database, "new_app"))
                    .containsExactly(
                            "1 app 1 0 1",
                            "2 app 2 0 1",
                            "3 app 3 0 1",
                            "5 app 5 0 1",
                            "6 app 6 0 2",
                            "7 app 7 0 1",
                            "8 app 8 7 2",
                            "9 app 9 0 1",
                            "10 app 10 0 1");
            assertThat(database.list("SELECT concat(id, made) FROM audit ORDER BY id", String.class))
                    .containsExactly("2insert", "4delete", "6update", "8update");
            assertThat(comparison.run().isClean()).isTrue();
        }
    }

    /** Tenants have rows of the same identifier. Only those of one are compared. */
    private static TestDatabase ofTenants(Kind kind) {
        TestDatabase database = TestDatabase.create(kind);
        for (String table : TABLES) {
            database.execute("CREATE TABLE " + table
                    + " (tenant int DEFAULT 1 NOT NULL, id int, name varchar(20), PRIMARY KEY (tenant, id))");
            for (int tenant = 7; tenant <= 9; tenant++) {
                for (int id = 1; id <= 4; id++) {
                    database.execute("INSERT INTO " + table + " VALUES (" + tenant + ", " + id + ", 'app')");
                }
            }
        }
        database.execute(
                "UPDATE old_app SET name = 'right' WHERE tenant = 7 AND id = 1",
                "DELETE FROM new_app WHERE tenant = 7 AND id = 2",
                "DELETE FROM old_app WHERE tenant = 7 AND id = 3");
        return database;
    }

    private static Comparison<Long> ofTenantSeven(TestDatabase database, String... fields) {
        List<SqlTable<Long>> sides = Stream.of(TABLES)
                .map(it -> SqlTable.of(database.jdbi(), it, "id", KeyOrder.longs())
                        .fields(fields)
                        .where("tenant = 7"))
                .toList();
        Comparison<Long> comparison = Comparison.builder("apps", sides.get(0), sides.get(1))
                .ignoring("tenant")
                .clock(new TestClock())
                .build();
        assertThat(comparison.run().totals().findings()).isEqualTo(3);
        return comparison;
    }

    @ParameterizedTest
    @EnumSource
    void rowsOutsideOfTheConditionAreNotWritten(Kind kind) {
        try (TestDatabase database = ofTenants(kind)) {
            RepairResult<Long> result = ofTenantSeven(database, "tenant", "name")
                    .repair(Side.OLD)
                    .allowDeletes()
                    .build()
                    .apply();

            assertThat(result.isClean()).isTrue();
            assertThat(database.list("SELECT concat(tenant, id, name) FROM new_app ORDER BY tenant, id", String.class))
                    .containsExactly(
                            "71right", "72app", "74app", "81app", "82app", "83app", "84app", "91app", "92app", "93app",
                            "94app");
        }
    }

    @ParameterizedTest
    @EnumSource
    void rowThatWouldBeInsertedOutsideOfTheConditionIsNotRepaired(Kind kind) {
        try (TestDatabase database = ofTenants(kind)) {
            RepairResult<Long> result =
                    ofTenantSeven(database, "name").repair(Side.OLD).build().apply();

            assertThat(result.unrepaired()).singleElement().satisfies(row -> {
                assertThat(row.key()).isEqualTo(2);
                assertThat(row.why()).contains("would not satisfy the condition of its table");
            });
            assertThat(database.count("new_app")).isEqualTo(11);
        }
    }

    @ParameterizedTest
    @EnumSource
    void writeThatMeetsSeveralRowsIsRolledBack(Kind kind) {
        try (TestDatabase database = ofTenants(kind)) {
            Row<Long> found = new Row<>(4L, Map.of("name", "app"), null);
            Row<Long> wanted = new Row<>(4L, Map.of("name", "other"), null);
            SqlTable<Long> table = SqlTable.of(database.jdbi(), "new_app", "id", KeyOrder.longs())
                    .fields("name");
            for (Change<Long> change : List.<Change<Long>>of(
                    new Change.Update<>(found, wanted, List.of("name"), List.of("name")),
                    new Change.Delete<>(found, List.of("name")))) {
                assertThatThrownBy(() -> table.apply(List.of(change)))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("3 rows of new_app have this id");
            }
            assertThat(database.list("SELECT name FROM new_app WHERE id = 4", String.class))
                    .containsExactly("app", "app", "app");
        }
    }

    @Test
    void canonicalFieldIsRepairedOnlyWhereItIsSaidHowItIsStored() {
        try (TestDatabase database = damaged(Kind.H2)) {
            Comparison.Builder<Long> builder = Comparison.builder(
                            "apps", table(database, "old_app"), table(database, "new_app"))
                    .canonical("name", Object::toString);
            assertThatThrownBy(() -> builder.build().repair(Side.OLD))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll("[name]", "field(name, read, column, written)");

            SqlTable<Long> stated = SqlTable.of(database.jdbi(), "new_app", "id", KeyOrder.longs())
                    .field("name", "name", "name", "upper(?)")
                    .fields("hits");
            Comparison<Long> comparison = Comparison.builder("apps", table(database, "old_app"), stated)
                    .canonical("name", name -> name.toString().toLowerCase(Locale.ROOT))
                    .ignoring("version")
                    .clock(new TestClock())
                    .build();
            comparison.run();
            assertThat(comparison
                            .repair(Side.OLD)
                            .allowDeletes()
                            .build()
                            .apply()
                            .isClean())
                    .isTrue();
            assertThat(database.list("SELECT name FROM new_app WHERE id IN (2, 3, 6) ORDER BY id", String.class))
                    .containsExactly("APP 2", "app 3", "APP 6");
        }
    }

    /** Neither a collation nor a type that ignores case hides what a live writer has changed. */
    @ParameterizedTest
    @EnumSource
    void changeOfCaseInTheMeantimeIsLeftAlone(Kind kind) {
        try (TestDatabase database = damaged(kind)) {
            if (kind == Kind.POSTGRESQL) {
                database.execute(
                        "CREATE COLLATION ignoring_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
                        "ALTER TABLE new_app ALTER COLUMN name TYPE varchar(20) COLLATE ignoring_case");
            } else if (kind == Kind.H2) {
                database.execute("ALTER TABLE new_app ALTER COLUMN name SET DATA TYPE varchar_ignorecase(20)");
            }
            Comparison<Long> comparison = compared(
                    database,
                    new Hooked(
                            table(database, "new_app"),
                            () -> database.execute("UPDATE new_app SET name = 'WRONG' WHERE id = 6")));

            RepairResult<Long> result = comparison.repair(Side.OLD).build().apply();

            assertThat(result.counts().refused()).isPositive();
            assertThat(database.list("SELECT name FROM new_app WHERE id = 6", String.class))
                    .containsExactly("WRONG");
        }
    }

    @ParameterizedTest
    @EnumSource
    void otherSideCanBeTheRightOne(Kind kind) {
        try (TestDatabase database = damaged(kind)) {
            Comparison<Long> comparison = compared(database);

            assertThat(comparison
                            .repair(Side.NEW)
                            .allowDeletes()
                            .build()
                            .apply()
                            .isClean())
                    .isTrue();

            assertThat(database.count("old_app WHERE name = 'wrong'")).isEqualTo(2);
            assertThat(database.count("old_app WHERE id = 2")).isZero();
            assertThat(comparison.run().isClean()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsDeletedUnlessItIsAllowed(Kind kind) {
        try (TestDatabase database = damaged(kind)) {
            RepairResult<Long> result =
                    compared(database).repair(Side.OLD).build().apply();

            assertThat(result.counts().withheld()).isEqualTo(1);
            assertThat(result.stillDifferent()).isEqualTo(1);
            assertThat(result.remaining()).singleElement().isInstanceOf(Finding.MissingInOld.class);
            assertThat(result.isClean()).isFalse();
            assertThat(database.count("new_app WHERE id = 4")).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void capHoldsAndAnotherCallGoesOn(Kind kind) {
        try (TestDatabase database = damaged(kind)) {
            RepairPlan<Long> plan = compared(database)
                    .repair(Side.OLD)
                    .allowDeletes()
                    .maxChanges(3)
                    .batch(2)
                    .build();

            RepairResult<Long> first = plan.apply();
            assertThat(first.counts().changes()).isEqualTo(3);
            assertThat(first.counts().beyondCap()).isEqualTo(1);
            assertThat(first.stillDifferent()).isEqualTo(1);
            assertThat(database.count("audit")).isEqualTo(3);

            RepairResult<Long> second = plan.apply();
            assertThat(second.counts()).isEqualTo(new RepairResult.Counts(0, 1, 0, 3, 0, 0, 0, 0, 0));
            assertThat(second.isClean()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void rowsWrittenSinceTheyWereFoundAreLeftAlone(Kind kind) {
        try (TestDatabase database = damaged(kind)) {
            Comparison<Long> comparison = compared(database);
            database.execute(
                    "UPDATE old_app SET name = 'later', version = version + 1 WHERE id = 6",
                    "UPDATE new_app SET version = version + 1 WHERE id = 8",
                    "INSERT INTO new_app VALUES (2, 'app 2', 0, 1)",
                    "UPDATE new_app SET name = 'later', version = version + 1 WHERE id = 4");
            List<String> before = rows(database, "new_app");

            RepairResult<Long> result =
                    comparison.repair(Side.OLD).allowDeletes().build().apply();

            assertThat(result.counts()).isEqualTo(new RepairResult.Counts(0, 0, 0, 1, 3, 0, 0, 0, 0));
            assertThat(result.stillDifferent()).isEqualTo(3);
            assertThat(rows(database, "new_app")).isEqualTo(before);
        }
    }

    /** What compare-and-set is for: the row was as it had been found when it was read, and is not any more. */
    @ParameterizedTest
    @EnumSource
    void rowsWrittenInTheInstantBeforeTheChangeAreLeftAlone(Kind kind) {
        try (TestDatabase database = damaged(kind)) {
            Comparison<Long> comparison = compared(
                    database,
                    new Hooked(
                            table(database, "new_app"),
                            () -> database.execute(
                                    "INSERT INTO new_app VALUES (2, 'newer', 0, 1)",
                                    "UPDATE new_app SET name = 'newer' WHERE id = 4",
                                    "UPDATE new_app SET name = 'newer' WHERE id = 6",
                                    "UPDATE new_app SET version = 2 WHERE id = 8")));

            RepairResult<Long> result =
                    comparison.repair(Side.OLD).allowDeletes().build().apply();

            assertThat(result.counts()).isEqualTo(new RepairResult.Counts(0, 0, 0, 0, 0, 4, 0, 0, 0));
            assertThat(result.stillDifferent()).isEqualTo(4);
            assertThat(database.count("new_app WHERE name = 'newer' AND id IN (2, 4, 6)"))
                    .isEqualTo(3);
            assertThat(database.count("new_app WHERE name = 'wrong' AND id = 8"))
                    .isEqualTo(1);
            assertThat(database.count("audit")).isZero();
        }
    }

    /** The collations of MariaDB and MySQL take the two for equal. */
    @ParameterizedTest
    @EnumSource
    void rowWhoseTextChangedItsCaseAloneIsLeftAlone(Kind kind) {
        try (TestDatabase database = damaged(kind)) {
            SqlTable<Long> replacement = SqlTable.of(database.jdbi(), "new_app", "id", KeyOrder.longs())
                    .fields("name", "hits");
            Comparison<Long> comparison = compared(
                    database,
                    new Hooked(
                            replacement, () -> database.execute("UPDATE new_app SET name = 'WRONG' WHERE id IN (6)")));

            RepairResult<Long> result = comparison.repair(Side.OLD).build().apply();

            assertThat(result.counts().updates()).isEqualTo(1);
            assertThat(database.list("SELECT name FROM new_app WHERE id = 6", String.class))
                    .containsExactly("WRONG");
        }
    }

    /** What has been made before it is gone with the transaction, so nothing of the batch counts as made. */
    @ParameterizedTest
    @EnumSource
    void auditThatKeepsTheExceptionOfADeadlockCommitsNoPartOfABatch(Kind kind) {
        try (TestDatabase database = damaged(kind)) {
            database.prepareDeadlock();
            AtomicInteger audited = new AtomicInteger();
            SqlTable<Long> swallowing = table(database, "new_app").audit((handle, change) -> {
                if (audited.incrementAndGet() == 2) {
                    try {
                        database.meetDeadlock(handle, "UPDATE contended SET n = n + 1 WHERE id = 2");
                    } catch (JdbiException kept) {
                        assertThat(kept).isNotNull();
                    }
                }
            });
            RepairPlan<Long> plan =
                    compared(database, swallowing).repair(Side.OLD).batch(4).build();

            RepairResult<Long> result;
            try {
                result = plan.apply();
            } catch (TargetFailedException none) {
                assertThat(database.count("new_app WHERE id = 2 OR name <> 'wrong' AND id IN (6, 8)"))
                        .isZero();
                return;
            }
            assertThat(kind).isNotEqualTo(Kind.MARIADB);
            assertThat(result.counts().changes()).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @EnumSource
    void ignoredFieldsAreNoConditionOfAChange(Kind kind) {
        try (TestDatabase database = damaged(kind)) {
            Comparison<Long> comparison = compared(
                    database,
                    new Hooked(
                            table(database, "new_app"),
                            () -> database.execute("UPDATE new_app SET hits = hits + 1 WHERE id = 6")));

            assertThat(comparison
                            .repair(Side.OLD)
                            .allowDeletes()
                            .build()
                            .apply()
                            .isClean())
                    .isTrue();
            assertThat(database.count("new_app WHERE id = 6 AND hits = 1 AND name = 'app 6'"))
                    .isEqualTo(1);
        }
    }

    /** The batch is rolled back with its audit, and made without the row. */
    @ParameterizedTest
    @EnumSource
    void rowThatCannotBeRepairedIsNamedAndAllOthersAreRepaired(Kind kind) {
        try (TestDatabase database = damaged(kind)) {
            database.execute("ALTER TABLE new_app ADD CONSTRAINT short CHECK (id <> 6 OR name <> 'app 6')");
            Comparison<Long> comparison = compared(database);

            RepairResult<Long> result =
                    comparison.repair(Side.OLD).allowDeletes().build().apply();

            assertThat(result.counts()).isEqualTo(new RepairResult.Counts(1, 1, 1, 0, 0, 0, 0, 0, 1));
            assertThat(result.unrepaired()).singleElement().satisfies(row -> {
                assertThat(row.key()).isEqualTo(6);
                assertThat(row.why()).containsIgnoringCase("short");
            });
            assertThat(result.table()).containsIgnoringCase("\n6 could not be repaired: ");
            assertThat(result.json()).contains("\"unrepaired\" : 1", "\"key\" : \"6\"", "\"why\" : ");
            assertThat(result.isClean()).isFalse();
            assertThat(result.remaining()).extracting(Finding::key).containsExactly(6L);
            assertThat(database.list("SELECT concat(id, made) FROM audit ORDER BY id", String.class))
                    .containsExactly("2insert", "4delete", "8update");
        }
    }

    /** No other row could be repaired either, so none is tried. */
    @ParameterizedTest
    @EnumSource
    void targetThatIsOutOfReachEndsTheCallAndCallingAgainGoesOn(Kind kind) {
        try (TestDatabase database = damaged(kind)) {
            AtomicInteger audited = new AtomicInteger();
            SqlTable<Long> failing = table(database, "new_app").audit((handle, change) -> {
                audit(handle, change);
                if (audited.incrementAndGet() == 4) {
                    throw new IllegalStateException(new SQLException("the server is gone", "08006"));
                }
            });
            RepairPlan<Long> plan = compared(database, failing)
                    .repair(Side.OLD)
                    .allowDeletes()
                    .batch(2)
                    .build();

            assertThatThrownBy(plan::apply)
                    .isInstanceOf(TargetFailedException.class)
                    .hasMessageContaining("after 2 changes:")
                    .hasMessageContaining("the server is gone");
            assertThat(database.count("audit")).isEqualTo(2);

            assertThat(plan.apply().isClean()).isTrue();
            assertThat(database.count("audit")).isEqualTo(4);
        }
    }

    @Test
    void sideThatCannotBeWrittenIsRefused() {
        MapSource<Long> map = new MapSource<>(KeyOrder.longs());
        Source<Long> readOnly = new Source<>() {
            @Override
            public KeyOrder<Long> order() {
                return map.order();
            }

            @Override
            public List<Row<Long>> page(Optional<Long> after, int limit) {
                return map.page(after, limit);
            }

            @Override
            public List<Row<Long>> find(Collection<Long> keys) {
                return map.find(keys);
            }
        };
        Comparison<Long> comparison = Comparison.builder("apps", map, readOnly).build();

        assertThatThrownBy(() -> comparison.repair(Side.OLD))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("The new source of comparison 'apps' cannot be repaired");
        assertThat(comparison.repair(Side.NEW)).isNotNull();
    }

    @Test
    void reportsAreTablesAndJson() {
        try (TestDatabase database = damaged(Kind.H2)) {
            Comparison<Long> comparison = compared(database);
            ComparisonReport<Long> report = comparison.run();
            assertThat(report.differencesByField()).containsExactly(java.util.Map.entry("name", 2L));
            assertThat(report.table())
                    .contains("missing in old  1\n")
                    .contains("different       2\n")
                    .contains("  name          2\n")
                    .contains("4    missing in old\n")
                    .contains("6    different       name\n");
            assertThat(report.json())
                    .contains("\"missingInNew\" : 1", "\"name\" : 2", "\"key\" : \"8\"")
                    .endsWith("}");
            RepairResult<Long> result = comparison.repair(Side.OLD).build().dryRun();
            assertThat(result.table()).contains("repair (dry run)  apps\n").contains("6    update  name\n");
            assertThat(result.json()).contains("\"dryRun\" : true", "\"updates\" : 2", "\"change\" : \"insert\"");
        }
    }
}
