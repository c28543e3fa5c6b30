package io.counterpoint.idempotency.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.benchmarks.Variant.Answer;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** That variants measure what they say: each call has one effect, and a repeated one has none. */
@Tag("thorough")
class VariantsTest {

    /** One record of each operation of a table. */
    private static final String RECORDS = "SELECT string_agg(concat_ws(' ', protocol, state, octet_length(fingerprint),"
            + " octet_length(payload), failure_code, date_trunc('second', expires_at - created_at)), ',' ORDER BY"
            + " operation) FROM (SELECT DISTINCT ON (operation) * FROM %s WHERE operation IN (%s)) AS one";

    private static BenchmarkDatabase database;
    private static Variants variants;
    private static GroupCounter groups;

    @BeforeAll
    static void start() {
        database = BenchmarkDatabase.open(PostgresServer.shared().createDatabase("lock_timeout=2s"), 4);
        variants = new Variants(database);
        groups = new GroupCounter(database, List.of("chat_group", "keyed_group"));
    }

    @AfterAll
    static void stop() {
        variants.close();
        database.close();
    }

    @Test
    void everyLeaderMakesOneGroupForEveryCall() throws Exception {
        groups.assertOneGroupForEveryCall(variants.choice());
        groups.assertOneGroupForEveryCall(variants.leaders());
    }

    @Test
    void everyReplayAnswersWithoutAnotherGroup() throws Exception {
        List<String> keys = Keys.fresh(GroupCounter.CALLS);
        List<Variant> all = ChooseBenchmark.compared(variants, Keys.anyOf(keys));
        ChooseBenchmark.prepare(all, keys);
        groups.assertNoGroupForAReplay(all.stream().filter(Variant::isReplay).toList(), keys);
    }

    @Test
    void uniqueColumnByHandRefusesAnotherRequest() throws Exception {
        Variant byHand = variants.choice().get(1);
        String key = Keys.fresh();
        assertThat(byHand.action().call(key)).isEqualTo(Answer.EXECUTED);
        database.execute("UPDATE keyed_group SET request = NULL");
        assertThatThrownBy(() -> byHand.action().call(key)).hasMessageContaining("another request");
    }

    @Test
    void everyVariantWithSpringMakesOneGroupForEachKey() throws Exception {
        try (SpringVariants spring = new SpringVariants(database)) {
            List<String> keys = Keys.fresh(GroupCounter.CALLS);
            for (Variant variant : spring.leaders()) {
                groups.assertGroups(keys.size(), List.of(variant), keys, Answer.EXECUTED);
            }
            groups.assertNoGroupForAReplay(List.of(spring.annotated()), keys);
        }
    }

    @Test
    void whatIsWrittenByHandLeavesTheRecordsThatOursLeave() throws Exception {
        for (Variant variant : variants.leaders()) {
            assertThat(variant.action().call(Keys.fresh())).isEqualTo(Answer.EXECUTED);
        }
        String operations = "'single-planned', 'single', 'first-planned', 'first'";
        assertThat(database.text(RECORDS.formatted(HandWrittenSql.TABLE, operations)))
                .isEqualTo(database.text(RECORDS.formatted("idempotency_record", operations)))
                .contains("C S 32 36 1 day", "S S 32 36 1 day");
    }

    @Test
    void everyOneOfOursHasTheStatementsThatItsFloorHas() {
        List<String> names = variants.leaders().stream().map(Variant::name).toList();
        List<String> floors = variants.leaders().stream()
                .filter(variant -> variant.floor() != null)
                .map(Variant::floor)
                .toList();
        assertThat(floors).hasSize(4).doesNotHaveDuplicates().isSubsetOf(names);
    }
}
