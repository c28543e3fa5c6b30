package io.counterpoint.idempotency.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.benchmarks.EngineCalls.Protocol;
import io.counterpoint.idempotency.benchmarks.Findings.Table;
import io.counterpoint.idempotency.benchmarks.Findings.Target;
import io.counterpoint.idempotency.benchmarks.Findings.Worst;
import io.counterpoint.idempotency.benchmarks.RecordTable.Order;
import io.counterpoint.idempotency.benchmarks.StormBenchmark.Neighbours;
import io.counterpoint.idempotency.benchmarks.Variant.Answer;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.testing.DelayingProxy;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** That everything that measures does, in the smallest size. */
@Tag("thorough")
class SmokeTest {

    private static final int MOST_BARS = 20;
    private static final int LEGEND = 2;
    private static final String INDEXES =
            "SELECT string_agg(indexdef, ', ' ORDER BY indexdef) FROM pg_indexes WHERE tablename = '%s'";

    @Test
    void roundsGiveOneSampleOfEveryVariantInEachRound() throws Exception {
        try (BenchmarkDatabase database =
                BenchmarkDatabase.open(PostgresServer.shared().createDatabase(), 2)) {
            Variant variant = new Variant("unprotected", new HandWrittenSql(database.pool()).unprotected());
            Measurements measured =
                    new Rounds(Callers.threads(2), 1, 2, 0.05, Meters.of(database)).measure("test", List.of(variant));
            assertThat(measured.of("unprotected")).hasSize(2).allSatisfy(sample -> {
                assertThat(sample.perSecond()).isPositive();
                // The system counts processor time in steps that may be longer than a sample.
                assertThat(sample.cost().clientMicros()).isNotNegative();
                assertThat(sample.cost().logBytes()).isGreaterThan(100);
                assertThat(sample.p99()).isGreaterThanOrEqualTo(sample.p50()).isPositive();
            });
            assertThat(measured.ratio("unprotected", "unprotected").median()).isEqualTo(1);
        }
    }

    @Test
    void aRoundTripIsCountedForEveryStatementAndTheCommit() throws Exception {
        Map<String, Double> counts = RoundTrips.count(
                PostgresServer.shared().createDatabase(),
                variants -> List.of(variants.unprotected(), variants.singlePlanned()));
        assertThat(counts.get(Variants.UNPROTECTED)).isEqualTo(4);
        assertThat(counts.get(Variants.SINGLE_PLANNED)).isEqualTo(5);
    }

    @Test
    void variantsRunOverANetwork() throws Exception {
        String url = PostgresServer.shared().createDatabase();
        try (DelayingProxy proxy = DelayingProxy.inFrontOf(url, ChooseBenchmark.EACH_WAY);
                BenchmarkDatabase database = BenchmarkDatabase.open(proxy.jdbcUrl(), 2)) {
            long start = System.nanoTime();
            assertThat(new HandWrittenSql(database.pool()).unprotected().call(Keys.fresh()))
                    .isEqualTo(Answer.EXECUTED);
            assertThat((System.nanoTime() - start) / 1e6).isGreaterThanOrEqualTo(4);
        }
    }

    @Test
    void aStormHasOneEffectAndAnAnswerForEverybody() throws Exception {
        int callers = 20;
        try (BenchmarkDatabase database =
                BenchmarkDatabase.open(PostgresServer.shared().createDatabase(), StormBenchmark.CONNECTIONS)) {
            LibraryVariant ours = StormBenchmark.oursIn(database);
            for (Variant variant : StormBenchmark.variants(ours, "slow", StormBenchmark::slowly)) {
                Neighbours neighbours = Neighbours.during(database, variant, StormBenchmark.others(ours), 1, callers);
                assertThat(neighbours.storms().get(0).calls()).hasSize(callers);
            }
        }
    }

    @Test
    void aPartitionedTableAnswersAndCanBePurged() throws Exception {
        try (BenchmarkDatabase database =
                BenchmarkDatabase.open(PostgresServer.shared().createDatabase(), 2)) {
            RecordTable parts = RecordTable.fill(database, "parts", 20, Order.RANDOM, 1, 2, "2 days");
            assertThat(parts.variant().action().call(parts.anyKey())).isEqualTo(Answer.REPLAYED);
            assertThat(parts.bytes()).isGreaterThan(4 * 8192);
            assertThat(parts.purge(100)).isEqualTo(20);
            assertThat(parts.count()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFilledTableAnswersForEachOfItsKeysAndCanBePurged(Order order) throws Exception {
        int records = 20;
        try (BenchmarkDatabase database =
                BenchmarkDatabase.open(PostgresServer.shared().createDatabase(), 2)) {
            var unused = JdbcIdempotencyStore.on(database.pool()).createTableIfMissing();
            RecordTable young = RecordTable.fill(database, "records_young", records, order, 3, 1, "1 hour");
            Variant variant = young.variant();
            for (int i = 0; i < records; i++) {
                assertThat(variant.action().call(young.oftenUsedKey())).isEqualTo(Answer.REPLAYED);
                assertThat(variant.action().call(young.recentKey())).isEqualTo(Answer.REPLAYED);
                assertThat(variant.action().call(young.freshKey())).isEqualTo(Answer.EXECUTED);
            }
            assertThat(database.number("SELECT count(*) FROM chat_group")).isEqualTo(records);
            assertThat(database.number("SELECT count(DISTINCT scope) FROM records_young WHERE scope <> 'user:1'"))
                    .isEqualTo(2);
            assertThat(database.text(INDEXES.formatted("records_young")))
                    .isEqualTo(database.text(INDEXES.formatted("idempotency_record"))
                            .replace("idempotency_record", "records_young"));
            assertThat(young.purge(100)).isZero();
            RecordTable old = RecordTable.fill(database, "records_old", records, order, "2 days");
            assertThat(old.purge(100)).isEqualTo(records);
        }
    }

    @Test
    void theEngineExecutesAndReplaysUnderEveryProtocol() {
        for (Protocol protocol : Protocol.values()) {
            EngineCalls.Calls both = EngineCalls.callsOver(protocol);
            var attempt = LibraryVariant.attempt("key");
            assertThat(both.call(attempt).orElseThrow()).isEqualTo("result");
            assertThat(both.call(attempt).toString()).startsWith("Replayed");
        }
    }

    @Test
    void reportKeepsOtherSubcommandsSectionsAndTheTextAbove(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("benchmark-tables.md"), "# By hand\n");
        BenchmarkReport report = new BenchmarkReport(folder, folder.resolve("results.jsonl"));
        report.put(section("first", "First", 0.9));
        report.put(section(ChooseBenchmark.NAME, "Choice", 0.7));
        report.put(section("second", "Second", 0.7));
        report.put(section("first", "First again", 0.8));
        assertThat(folder.resolve("benchmark-tables.md"))
                .content()
                .contains("# By hand", "## First again", "## Second")
                .doesNotContain("## First\n", "## Choice", "0.75");
        assertThat(folder.resolve("benchmarks.md"))
                .content()
                .contains("# Benchmarks", "(benchmarks.svg)", "## Choice", "| a | 0.70 |")
                .doesNotContain("## First again", "0.75");
        assertThat(folder.resolve("results.jsonl")).content().contains("First again", "Second", "Choice", "0.75");
        assertThat(folder.resolve("benchmarks.svg"))
                .content()
                .startsWith("<svg")
                .contains("one transaction, plan");
        assertThat(BenchmarkReport.text(section("first", "First", 0.7))).contains("≥ 0.75", "**no**");
    }

    @Test
    void resultsAreReadAsTheyWereWritten(@TempDir Path folder) throws Exception {
        List<Section> written = List.of(section("some", "Some", 0.9), section("none", "None", Double.NaN));
        BenchmarkReport report = new BenchmarkReport(folder.resolve("new"), folder.resolve("results.jsonl"));
        for (Section section : written) {
            report.put(section);
        }
        assertThat(report.sections()).isEqualTo(written);
    }

    @Test
    void pictureHasAtMostTwentyBarsAndOursHaveAColourOfTheirOwn() throws Exception {
        String picture = Plot.of(List.of(measuredOfAll()));
        assertThat(picture.split("<rect", -1)).hasSizeBetween(15, MOST_BARS + 1 + LEGEND);
        assertThat(picture)
                .contains("class=\"ours\"", "class=\"others\"", "prefers-color-scheme: dark")
                .contains("viewBox=\"0 0 440 ");
    }

    /** Ratios of all variants, as full runs find them. */
    private static Section measuredOfAll() {
        Findings found = new Findings();
        try (BenchmarkDatabase database =
                        BenchmarkDatabase.open(PostgresServer.shared().createDatabase("lock_timeout=2s"), 2);
                Variants variants = new Variants(database)) {
            for (Variant variant : ChooseBenchmark.compared(variants, Keys::fresh)) {
                add(found, ChooseBenchmark.LOCAL, variant.name(), new Quartiles(0.4, 0.5, 0.6));
                add(found, ChooseBenchmark.NETWORK, variant.name(), new Quartiles(0.4, 0.5, 0.6));
            }
        }
        return new Section("all", "All", "command", "today", "machine", found);
    }

    private static void add(Findings found, String place, String variant, Quartiles ratio) {
        found.add(ChooseBenchmark.title(8, place), variant, "ratio to unprotected", ratio);
    }

    @Test
    void worstOfSeveralRunsIsPublished() {
        Findings worst = Findings.worstOf(Stream.of(0.9, 0.6, 0.8)
                .map(ratio -> section("run", "Run", ratio).found())
                .toList());
        assertThat(worst.targets())
                .extracting(Target::measured)
                .containsExactly("0.60 (0.60 to 0.60)", "0.90 (0.90 to 0.90)");
        assertThat(worst.figures())
                .flatExtracting(figure -> figure.values().values())
                .containsExactly(new Quartiles(0.6, 0.6, 0.6));
        assertThat(worst.tables().get(0).rows()).containsExactly(List.of("a", "0.60"));
    }

    @Test
    void busyMachineIsRefusedAndMarkedWhereThatIsWanted() throws Exception {
        assertThatThrownBy(() -> new Quiet(() -> OptionalDouble.of(0.5)).beforeARun(false))
                .isInstanceOf(Quiet.BusyException.class)
                .hasMessageContaining("0.50, expected under 0.5")
                .hasMessageContaining("--busy");
        assertThat(new Quiet(() -> OptionalDouble.of(3.2)).beforeARun(true))
                .contains("Does not count", "busy, load 3.20");
        assertThat(new Quiet(() -> OptionalDouble.of(0.49)).beforeARun(false)).isEqualTo("Load 0.49 at the start.");
        assertThat(new Quiet(OptionalDouble::empty).beforeARun(false)).contains("not known");
    }

    @Test
    void loadThatTheCompilerLeftIsWaitedFor() throws Exception {
        Iterator<Double> loads = List.of(1.2, 0.7, 0.3).iterator();
        assertThat(new Quiet(() -> OptionalDouble.of(loads.next())).beforeARun(false))
                .isEqualTo("Load 0.30 at the start.");
    }

    @Test
    void purgeOfASmallTableIsMeasured() throws Exception {
        String url = PostgresServer.shared().createDatabase();
        assertThat(PurgeBenchmark.microsPerRecord(url, 20, 2, 0).median()).isPositive();
    }

    private static Section section(String name, String title, double ratio) {
        Quartiles measured = new Quartiles(ratio, ratio, ratio);
        Findings found = new Findings();
        found.atLeast(0.75, "a / b", measured);
        found.atMost(1, "µs", "c", measured);
        found.tables()
                .add(new Table(
                        "Table",
                        List.of("a", "b"),
                        List.of(List.of("a", Quartiles.number(ratio, 2))),
                        List.of("note"),
                        Worst.less(1)));
        add(found, ChooseBenchmark.LOCAL, Variants.SINGLE_PLANNED, measured);
        return new Section(name, title, "command", "today", "machine", found);
    }
}
