package io.counterpoint.idempotency.consistency.comparison;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.consistency.check.Schedule;
import io.counterpoint.idempotency.consistency.comparison.ComparisonReview.Decision;
import io.counterpoint.idempotency.consistency.comparison.ComparisonReview.Item;
import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import io.counterpoint.idempotency.testing.Race;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Apps by their users and by their workspaces: what differs is shown with both values, decided about, repaired and verified,
 * and looked for on a schedule.
 */
@Tag("thorough")
@ParameterizedClass
@EnumSource
class ComparisonReviewTest {

    private static final Instant NOW = Instant.parse("2026-02-03T10:20:00Z");

    @Parameter
    Kind kind;

    private TestDatabase database;
    private ComparisonReview<Long> review;

    /** 1 is renamed, 2 has moved, 3 is missing in the new table, 4 in the old one, 5 is equal. */
    @BeforeEach
    void open() {
        database = TestDatabase.create(kind);
        database.execute(
                "CREATE TABLE member (user_id int PRIMARY KEY, workspace int NOT NULL)",
                "INSERT INTO member VALUES (11, 1), (12, 2)",
                "CREATE TABLE old_app (id int PRIMARY KEY, user_id int NOT NULL, name varchar(20), version int DEFAULT 1)",
                "CREATE TABLE new_app (id int PRIMARY KEY, workspace int NOT NULL, name varchar(20), version int DEFAULT 1)",
                "INSERT INTO old_app VALUES (1, 11, 'old', 1), (2, 11, 'two', 1), (3, 11, 'three', 1), (5, 12, 'five', 1)",
                "INSERT INTO new_app VALUES (1, 1, 'new', 1), (2, 2, 'two', 1), (4, 2, 'four', 1), (5, 2, 'five', 1)");
        JdbiJournal.on(database.jdbi()).createTablesIfMissing();
        review = ComparisonReview.of(comparison().build());
    }

    @AfterEach
    void close() {
        database.close();
    }

    private SqlTable<Long> old() {
        return SqlTable.of(database.jdbi(), "old_app", "id", KeyOrder.longs())
                .field(
                        "workspace",
                        "(SELECT m.workspace FROM member m WHERE m.user_id = old_app.user_id)",
                        "user_id",
                        "(SELECT m.user_id FROM member m WHERE m.workspace = ?)")
                .fields("name")
                .version("version", "version + 1");
    }

    private SqlTable<Long> replacement() {
        return SqlTable.of(database.jdbi(), "new_app", "id", KeyOrder.longs())
                .fields("workspace", "name")
                .version("version", "version + 1");
    }

    private Comparison.Builder<Long> comparison() {
        return comparison(old(), replacement());
    }

    private Comparison.Builder<Long> comparison(Source<Long> left, Source<Long> right) {
        return Comparison.builder("apps", left, right).clock(new TestClock()).journal(JdbiJournal.on(database.jdbi()));
    }

    private void detect() {
        assertThat(comparison().build().startOver()).isNotNull();
    }

    private RepairResult<Long> repair() {
        return review.repair().allowDeletes().build().apply();
    }

    private Item<Long> of(long key) {
        return review.findings(0, 100).stream()
                .filter(item -> item.finding().key() == key)
                .findFirst()
                .orElseThrow();
    }

    private List<Long> open100() {
        return review.findings(0, 100).stream()
                .map(item -> item.finding().key())
                .toList();
    }

    @Test
    void findingHasItsKeyItsKindAndBothValues() {
        detect();
        assertThat(open100()).containsExactly(1L, 2L, 3L, 4L);
        assertThat(review.open()).isEqualTo(4);
        assertThat(review.findings(2, 1)).extracting(Item::number).containsExactly(3L);
        assertThat(of(1).finding()).isInstanceOf(Finding.Different.class);
        assertThat(of(1).finding().values())
                .isEqualTo(new Finding.Values(
                        Optional.of("{\"workspace\":1,\"name\":\"old\"}"),
                        Optional.of("{\"workspace\":1,\"name\":\"new\"}")));
        assertThat(of(3).finding()).isInstanceOf(Finding.MissingInNew.class);
        assertThat(of(3).finding().values().replacement()).isEmpty();
        assertThat(of(4).finding()).isInstanceOf(Finding.MissingInOld.class);
        assertThat(of(4).finding().values().old()).isEmpty();
        assertThat(of(4).finding().values().replacement()).contains("{\"workspace\":2,\"name\":\"four\"}");
        assertThat(of(1).toString())
                .as("values do not get into a log by themselves")
                .doesNotContain("old\"");
    }

    @Test
    void valuesThatAreNotWantedAreNotKept() {
        assertThat(comparison().withoutValues().build().run().totals().findings())
                .isEqualTo(4);
        assertThat(review.findings(0, 100))
                .extracting(item -> item.finding().values())
                .containsOnly(Finding.Values.NONE);
        assertThat(database.count("comparison_finding WHERE old_value IS NOT NULL OR new_value IS NOT NULL"))
                .isZero();
    }

    @Test
    void repairFollowsTheDecisionForEachFindingAndLeavesTheRestAlone() {
        detect();
        assertThat(review.decide(1L, Decision.NEW)).isTrue();
        assertThat(review.decide(2L, Decision.OLD)).isTrue();
        assertThat(review.decide(2L, Decision.NEW)).as("decided otherwise").isTrue();
        assertThat(review.decide(3L, Decision.LEAVE)).isTrue();
        assertThat(review.decide(5L, Decision.NEW)).as("equal").isFalse();
        assertThat(of(3).decision()).contains(Decision.LEAVE);
        assertThat(of(4).decision()).isEmpty();

        RepairResult<Long> result = repair();

        assertThat(result.counts().updates()).isEqualTo(2);
        assertThat(result.counts().changes()).isEqualTo(2);
        assertThat(result.isClean()).as("what was decided about").isTrue();
        assertThat(result.truth()).isEmpty();
        assertThat(database.list("SELECT concat(id, ' ', user_id, ' ', name) FROM old_app ORDER BY id", String.class))
                .containsExactly("1 11 new", "2 12 two", "3 11 three", "5 12 five");
        assertThat(open100()).containsExactly(3L, 4L);
        assertThat(review.decideRest(Decision.NEW)).isOne();
        assertThat(repair().counts().inserts()).isOne();
        assertThat(database.one("SELECT user_id FROM old_app WHERE id = 4", Integer.class))
                .isEqualTo(12);
        assertThat(open100()).containsExactly(3L);
        detect();
        assertThat(open100()).containsExactly(3L);
        assertThat(of(3).decision()).contains(Decision.LEAVE);
    }

    @Test
    void operatorsWhoDecideAboutOneFindingAtOnceAreAllAnswered() {
        detect();
        List<Race.Result<Boolean>> answers =
                Race.of(8, number -> review.decide(1L, number % 2 == 0 ? Decision.NEW : Decision.OLD));
        assertThat(answers).extracting(Race.Result::orFail).containsOnly(true);
        assertThat(of(1).decision()).isPresent();
    }

    @Test
    void deletionNeedsADecisionAndPermission() {
        detect();
        assertThat(review.decide(4L, Decision.OLD)).isTrue();
        RepairResult<Long> withheld = review.repair().build().apply();
        assertThat(withheld.counts().withheld()).isOne();
        assertThat(of(4).decision()).contains(Decision.OLD);
        assertThat(repair().counts().deletes()).isOne();
        assertThat(database.count("new_app WHERE id = 4")).isZero();
    }

    @Test
    void decisionOutlivesOtherRunsUntilARowIsWritten() {
        detect();
        assertThat(review.decideRest(Decision.NEW)).isEqualTo(4);
        database.execute("UPDATE old_app SET version = 2 WHERE id = 2");
        detect();
        assertThat(of(1).decision()).contains(Decision.NEW);
        assertThat(of(2).decision()).as("decided before it was written").isEmpty();
    }

    @Test
    void rowThatWasWrittenSinceIsLeftAloneAndOpenWithItsValuesOfNow() {
        detect();
        assertThat(review.decideRest(Decision.NEW)).isEqualTo(4);
        database.execute("UPDATE old_app SET name = 'later', version = 2 WHERE id = 1");

        RepairResult<Long> result = repair();

        assertThat(result.counts().movedOn()).isOne();
        assertThat(result.counts().changes()).isEqualTo(3);
        assertThat(result.stillDifferent()).isOne();
        assertThat(open100()).containsExactly(1L);
        assertThat(of(1).finding().values().old()).contains("{\"workspace\":1,\"name\":\"later\"}");
        assertThat(of(1).decision()).isEmpty();
        assertThat(review.decideRest(Decision.NEW)).isOne();
        assertThat(repair().isClean()).isTrue();
    }

    /** The user of one app has no workspace, which the new table needs. */
    @Test
    void rowThatCannotBeRepairedIsNamedStaysOpenAndHindersNoOther() {
        for (int id = 100; id < 160; id++) {
            database.execute("INSERT INTO old_app VALUES (" + id + ", " + (id == 130 ? 99 : 11) + ", 'app', 1)");
        }
        detect();
        assertThat(review.decideRest(Decision.OLD)).isEqualTo(64);

        RepairResult<Long> result = repair();

        assertThat(result.counts().changes()).isEqualTo(63);
        assertThat(result.counts().unrepaired()).isOne();
        assertThat(result.unrepaired()).singleElement().satisfies(row -> {
            assertThat(row.key()).isEqualTo(130);
            assertThat(row.why()).containsIgnoringCase("workspace");
        });
        assertThat(open100()).containsExactly(130L);
        assertThat(of(130).decision()).contains(Decision.OLD);
        database.execute("INSERT INTO member VALUES (99, 9)");
        detect();
        assertThat(review.decideRest(Decision.OLD))
                .as("its workspace is there now")
                .isOne();
        assertThat(repair().isClean()).isTrue();
    }

    @Test
    void repairEndsWhereAnotherRunHasBegun() {
        detect();
        assertThat(review.decideRest(Decision.OLD)).isEqualTo(4);
        SqlTable<Long> interrupted = replacement().audit((handle, change) -> {
            if (change.key() == 1) {
                CompletableFuture.runAsync(this::detect).join();
            }
        });
        ComparisonReview<Long> overtaken =
                ComparisonReview.of(comparison(old(), interrupted).build());
        assertThatThrownBy(() -> overtaken.repair().build().apply()).isInstanceOf(SupersededException.class);
        assertThat(review.findings(0, 100)).isNotEmpty();
    }

    @Test
    void columnThatNobodyListsIsRefusedUntilItIsIgnored() {
        database.execute("ALTER TABLE new_app ADD COLUMN owner varchar(20)");
        assertThatThrownBy(this::detect)
                .isInstanceOf(UnlistedColumnsException.class)
                .hasMessageContaining("The new source of comparison 'apps' has columns that no field covers: [")
                .hasMessageContainingAll("ignoring(...)")
                .matches(thrown -> String.valueOf(thrown.getMessage()).matches("(?i).*\\[owner].*"));
        assertThat(database.count("comparison_run")).isZero();
        assertThat(comparison().ignoring("owner").build().run().totals().findings())
                .isEqualTo(4);
    }

    /** All have opened the run before the first of them writes to it: one finishes, and the others are refused by type. */
    @Test
    void ofRunsThatBeginAtOnceOneFinishesAndTheOthersAreSuperseded() {
        for (int round = 0; round < 6; round++) {
            int nodes = 4;
            // The first run of its name, and one that follows another.
            String name = "pair " + round / 2;
            CyclicBarrier allAreOpen = new CyclicBarrier(nodes);
            List<Race.Result<ComparisonReport<Long>>> results = Race.of(nodes, number -> {
                MapSource<Long> left = new MapSource<>(KeyOrder.longs());
                left.put(1L, "a");
                Journal journal = JdbiJournal.on(database.jdbi());
                return Comparison.builder(name, left, new MapSource<>(KeyOrder.longs()))
                        .clock(new TestClock())
                        .journal(new Journal() {
                            @Override
                            public Run open(String comparison, boolean fresh) {
                                Run run = journal.open(comparison, fresh);
                                try {
                                    allAreOpen.await(30, TimeUnit.SECONDS);
                                } catch (Exception e) {
                                    throw new AssertionError("another could not begin", e);
                                }
                                return run;
                            }

                            @Override
                            public List<Finding<String>> findings(String comparison, long skip, int limit) {
                                return journal.findings(comparison, skip, limit);
                            }
                        })
                        .build()
                        .startOver();
            });
            assertThat(results).filteredOn(Race.Result::succeeded).hasSize(1);
            assertThat(results)
                    .filteredOn(result -> !result.succeeded())
                    .extracting(Race.Result::failure)
                    .hasOnlyElementsOfType(SupersededException.class);
            assertThat(database.count("comparison_finding WHERE comparison = '" + name + "'"))
                    .isOne();
        }
    }

    private boolean detectDue(Instant now) {
        return review.detectDue(database.idempotency(), Schedule.hourly(), now).isPresent();
    }

    @Test
    void oneNodeComparesOnceAnHour() {
        List<Race.Result<Boolean>> nodes = Race.of(4, number -> detectDue(NOW.plusSeconds(number)));
        assertThat(nodes).filteredOn(node -> Boolean.TRUE.equals(node.orFail())).hasSize(1);
        assertThat(review.open()).isEqualTo(4);
        assertThat(detectDue(Instant.parse("2026-02-03T10:59:59Z"))).isFalse();
        database.execute("UPDATE new_app SET name = 'later' WHERE id = 5");
        assertThat(detectDue(Instant.parse("2026-02-03T11:00:00Z"))).isTrue();
        assertThat(review.open()).isEqualTo(5);
    }

    @Test
    void comparisonThatFailedLeavesItsSlotToTheNextCall() {
        database.execute("ALTER TABLE new_app RENAME TO elsewhere");
        assertThatThrownBy(() -> detectDue(NOW)).isInstanceOf(ComparisonException.class);
        database.execute("ALTER TABLE elsewhere RENAME TO new_app");
        assertThat(detectDue(NOW)).isTrue();
    }

    /** The first node stops in the middle for ever, as one that was killed does. */
    @Test
    void runOfADeadNodeIsContinuedByOneOtherWithinItsSlot() throws Exception {
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        MapSource<Long> stuck = new MapSource<>(KeyOrder.longs());
        ComparisonReview<Long> dead = ComparisonReview.of(Comparison.builder("apps", stuck, stuck)
                .journal(JdbiJournal.on(database.jdbi()))
                .progress(step -> {})
                .clock(new TestClock())
                .canonical("value", value -> {
                    reading.countDown();
                    try {
                        never.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return value;
                })
                .build());
        stuck.put(1L, "a");
        CompletableFuture<Boolean> first = CompletableFuture.supplyAsync(() ->
                dead.detectDue(database.idempotency(), Schedule.hourly(), NOW).isPresent());
        reading.await();
        assertThat(detectDue(NOW)).as("it may be alive").isFalse();
        database.execute("UPDATE comparison_run SET updated_at = "
                + (kind == Kind.MARIADB
                        ? "UTC_TIMESTAMP(6) - INTERVAL 131 SECOND"
                        : "CURRENT_TIMESTAMP - INTERVAL '131' SECOND"));
        List<Race.Result<Boolean>> nodes = Race.of(4, number -> detectDue(NOW));
        assertThat(nodes).filteredOn(node -> Boolean.TRUE.equals(node.orFail())).hasSize(1);
        assertThat(review.open()).isEqualTo(4);
        never.countDown();
        assertThat(first.join()).as("it was superseded").isFalse();
        assertThat(detectDue(NOW)).as("the slot is used").isFalse();
        assertThat(review.open()).isEqualTo(4);
    }

    @Test
    void decisionsNeedAJournalInTablesAndASideThatCanBeWritten() {
        assertThatThrownBy(() -> ComparisonReview.of(
                        comparison().journal(Journal.inMemory()).build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Give it a JdbiJournal");
        Source<Long> readOnly = new ReadOnly(old());
        ComparisonReview<Long> half =
                ComparisonReview.of(comparison(readOnly, replacement()).build());
        assertThatThrownBy(() -> half.decideRest(Decision.NEW))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("The old source of comparison 'apps' cannot be repaired");
        assertThat(half.decideRest(Decision.OLD)).isZero();
    }

    /** Has no way to write. */
    private record ReadOnly(SqlTable<Long> table) implements Source<Long> {
        @Override
        public KeyOrder<Long> order() {
            return table.order();
        }

        @Override
        public List<Row<Long>> page(Optional<Long> after, int limit) {
            return table.page(after, limit);
        }

        @Override
        public List<Row<Long>> find(java.util.Collection<Long> keys) {
            return table.find(keys);
        }
    }
}
