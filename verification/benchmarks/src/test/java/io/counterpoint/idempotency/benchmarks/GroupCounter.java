package io.counterpoint.idempotency.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.benchmarks.Variant.Answer;
import java.util.List;

/**
 * That each call of a variant makes one group, and a repeated one makes none.
 *
 * @param groups the tables in one of which a group has its row
 */
record GroupCounter(BenchmarkDatabase database, List<String> groups) {

    static final int CALLS = 20;

    void assertOneGroupForEveryCall(List<Variant> leaders) throws Exception {
        for (Variant variant : leaders) {
            assertGroups(CALLS, List.of(variant), Keys.fresh(CALLS), Answer.EXECUTED);
        }
    }

    void assertNoGroupForAReplay(List<Variant> replays, List<String> keys) throws Exception {
        assertGroups(0, replays, keys, Answer.REPLAYED);
    }

    /** Calls each variant with each key. */
    void assertGroups(int made, List<Variant> variants, List<String> keys, Answer expected) throws Exception {
        List<Long> before = rows();
        for (Variant variant : variants) {
            for (String key : keys) {
                assertThat(variant.action().call(key)).as(variant.name()).isEqualTo(expected);
            }
        }
        assertThat(rows())
                .as(variants.toString())
                .isEqualTo(before.stream().map(n -> n + made).toList());
    }

    private List<Long> rows() {
        return List.of(groups.stream().mapToLong(this::rowsOf).sum(), rowsOf("group_member"), rowsOf("conversation"));
    }

    private long rowsOf(String table) {
        return database.number("SELECT count(*) FROM " + table);
    }
}
