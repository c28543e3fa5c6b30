package io.counterpoint.idempotency.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.benchmarks.EngineCalls.Protocol;
import io.counterpoint.idempotency.benchmarks.RecordTable.Order;
import io.counterpoint.idempotency.benchmarks.Section.Figure;
import io.counterpoint.idempotency.benchmarks.Section.Table;
import io.counterpoint.idempotency.benchmarks.Section.Target;
import io.counterpoint.idempotency.benchmarks.StormBenchmark.Neighbours;
import io.counterpoint.idempotency.benchmarks.Variant.Answer;
import io.counterpoint.idempotency.testing.DelayingProxy;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** That everything that measures does, in the smallest size. */
class SmokeTest {

    @Test
    void roundsGiveOneSampleOfEveryVariantInEachRound() throws Exception {
        try (Database database = Database.open(PostgresServer.shared().createDatabase(), 2)) {
            Variant variant = new Variant("unprotected", null, "", new HandWrittenSql(database.pool()).unprotected());
            Measurements measured = new Rounds("test", 2, 2, 0.05, Meters.of(database)).lead(List.of(variant));
            assertThat(measured.of("unprotected")).hasSize(2).allSatisfy(sample -> {
                assertThat(sample.calls()).isPositive();
                assertThat(sample.clientMicros()).isPositive();
            });
            assertThat(measured.ratio("unprotected", "unprotected").median()).isEqualTo(1);
        }
    }

    @Test
    void aRoundTripIsCountedForEveryStatementAndTheCommit() throws Exception {
        Map<String, Double> counts = RoundTrips.count(
                PostgresServer.shared().createDatabase(),
                variants -> List.of(variants.unprotected(), variants.singlePlanned()),
                variant -> Keys::fresh);
        assertThat(counts.get(Variants.UNPROTECTED)).isEqualTo(4);
        assertThat(counts.get(Variants.SINGLE_PLANNED)).isEqualTo(5);
    }

    @Test
    void variantsRunOverANetwork() throws Exception {
        String url = PostgresServer.shared().createDatabase();
        try (DelayingProxy proxy = DelayingProxy.inFrontOf(url, NetworkBenchmark.EACH_WAY);
                Database database = Database.open(proxy.jdbcUrl(), 2)) {
            long start = System.nanoTime();
            assertThat(new HandWrittenSql(database.pool()).unprotected().call(Keys.fresh()))
                    .isEqualTo(Answer.EXECUTED);
            assertThat((System.nanoTime() - start) / 1e6).isGreaterThanOrEqualTo(4);
        }
    }

    @Test
    void aStormHasOneEffectAndAnAnswerForEverybody() throws Exception {
        int callers = 20;
        try (Database database = Database.open(PostgresServer.shared().createDatabase(), StormBenchmark.CONNECTIONS)) {
            LibraryVariant ours = StormBenchmark.oursIn(database);
            for (Variant variant : StormBenchmark.slow(ours).values()) {
                Neighbours neighbours = Neighbours.during(database, variant, StormBenchmark.others(ours), 1, callers);
                assertThat(neighbours.effects()).isEqualTo(1);
                assertThat(neighbours.storms().get(0).waits()).hasSize(callers);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aFilledTableAnswersForEachOfItsKeysAndCanBePurged(Order order) throws Exception {
        int records = 20;
        try (Database database = Database.open(PostgresServer.shared().createDatabase(), 2)) {
            RecordTable young = RecordTable.fill(database, "records_young", records, order, "1 hour");
            Variant variant = young.variant();
            for (int i = 0; i < records; i++) {
                assertThat(variant.action().call(young.oftenUsedKey())).isEqualTo(Answer.REPLAYED);
                assertThat(variant.action().call(young.recentKey())).isEqualTo(Answer.REPLAYED);
                assertThat(variant.action().call(young.freshKey())).isEqualTo(Answer.EXECUTED);
            }
            assertThat(database.number("SELECT count(*) FROM chat_group")).isEqualTo(records);
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
        Files.writeString(folder.resolve("benchmarks.md"), "# By hand\n");
        Report report = new Report(folder);
        report.put("first", section("First", 0.9));
        report.put("second", section("Second", 0.7));
        report.put("first", section("First again", 0.8));
        assertThat(folder.resolve("benchmarks.md"))
                .content()
                .contains(
                        "# By hand", "## First again", "## Second", "| a / b | ≥ 0.75 | 0.70 (0.70 to 0.70) | **no** |")
                .doesNotContain("## First\n");
        assertThat(folder.resolve("benchmarks.json")).content().contains("First again", "Second", "0.75");
        assertThat(folder.resolve("benchmarks.svg"))
                .content()
                .startsWith("<svg")
                .contains("a &lt; b");
    }

    private static Section section(String title, double ratio) {
        Quartiles measured = new Quartiles(ratio, ratio, ratio);
        return new Section(
                title,
                "command",
                "today",
                "machine",
                List.of(Target.atLeast(0.75, "a / b", measured)),
                List.of(new Table("Table", List.of("a"), List.of(List.of("1")), List.of("note"))),
                List.of(new Figure(title, "a < b", "ratio", measured, 0.75)));
    }
}
