package io.counterpoint.idempotency.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.benchmarks.Variant.Answer;
import io.counterpoint.idempotency.mariadb.MariaDbDialect;
import io.counterpoint.idempotency.testing.MariaDbServer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The same as {@link VariantsTest}, of the variants on MariaDB. Galera has the same variants. */
class MariaDbVariantsTest {

    private static final String RECORDS = "SELECT DISTINCT concat_ws(' ', protocol, state, octet_length(fingerprint),"
            + " octet_length(payload), timestampdiff(HOUR, created_at, expires_at)) FROM %s"
            + " WHERE operation = 'single-planned'";

    private static BenchmarkDatabase database;
    private static MariaDbVariants variants;

    @BeforeAll
    static void start() {
        database = BenchmarkDatabase.open(MariaDbServer.shared().createDatabase(), 4);
        variants = new MariaDbVariants(database, MariaDbDialect.mariaDb());
    }

    @AfterAll
    static void stop() {
        database.close();
    }

    @Test
    void everyLeaderMakesOneGroupForEveryCall() throws Exception {
        new GroupCounter(database, List.of("chat_group")).assertOneGroupForEveryCall(variants.leaders());
        assertThat(database.text(RECORDS.formatted(HandWrittenSql.TABLE)))
                .isEqualTo(database.text(RECORDS.formatted("idempotency_record")))
                .isEqualTo("S S 32 36 24");
    }

    @Test
    void everyReplayAnswersWithoutAnotherGroup() throws Exception {
        List<String> keys = Keys.fresh(GroupCounter.CALLS);
        for (String key : keys) {
            assertThat(variants.planned().action().call(key)).isEqualTo(Answer.EXECUTED);
        }
        new GroupCounter(database, List.of("chat_group"))
                .assertNoGroupForAReplay(variants.replays(Keys.anyOf(keys)), keys);
    }
}
