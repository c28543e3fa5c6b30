package io.counterpoint.idempotency.consistency.comparison;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A run that ends early, and the one that goes on from its last checkpoint. */
@Tag("thorough")
class ResumeTest {

    private static final int ROWS = 50_000;

    private final MapSource<Long> old = new MapSource<>(KeyOrder.longs());
    private final MapSource<Long> replacement = new MapSource<>(KeyOrder.longs());

    private Comparison<Long> comparison(Journal journal) {
        return comparison(journal, Duration.ZERO);
    }

    private Comparison<Long> comparison(Journal journal, Duration minimumAge) {
        return Comparison.builder("resume", old, replacement)
                .clock(new TestClock())
                .journal(journal)
                .minimumAge(minimumAge)
                .build();
    }

    @ParameterizedTest
    @EnumSource
    void failedRunResumesAtItsCheckpointAndFindsEverythingOnce(TestDatabase.Kind kind) {
        try (TestDatabase database = TestDatabase.create(kind)) {
            goesOn(JdbiJournal.on(database.jdbi()).createTablesIfMissing());
        }
    }

    @Test
    void runInMemoryGoesOnToo() {
        goesOn(Journal.inMemory());
    }

    private void goesOn(Journal journal) {
        List<Long> planted = new ArrayList<>();
        for (long key = 0; key < ROWS; key++) {
            old.put(key, "same");
            replacement.put(key, "same");
            if (key % 777 == 0) {
                plant(key);
                planted.add(key);
            }
        }
        old.pagesUntilFailure = 35;
        assertThatThrownBy(() -> comparison(journal).run())
                .isInstanceOf(SourceFailedException.class)
                .hasMessageContaining("The old source could not be read: no more pages");
        old.pagesUntilFailure = Integer.MAX_VALUE;
        old.pages.clear();

        ComparisonReport<Long> report = comparison(journal).run();

        assertThat(report.isContinued()).isTrue();
        assertThat(old.pages.get(0)).hasValue(29_999L);
        assertThat(report.findings(0, ROWS).stream().map(Finding::key)).containsExactlyElementsOf(planted);
        assertThat(report.totals().findings()).isEqualTo(planted.size());
        assertThat(report.totals().oldRows()).isEqualTo(old.rows.size());
        assertThat(report.totals().newRows()).isEqualTo(replacement.rows.size());

        old.pages.clear();
        ComparisonReport<Long> next = comparison(journal).run();
        assertThat(next.isContinued()).isFalse();
        assertThat(old.pages.get(0)).isEqualTo(Optional.empty());
        assertThat(next.totals()).isEqualTo(report.totals());
        assertThat(next.findings(10, 5)).isEqualTo(report.findings(10, 5));
    }

    private void plant(long key) {
        switch ((int) (key % 3)) {
            case 0 -> old.rows.remove(key);
            case 1 -> replacement.rows.remove(key);
            default -> replacement.put(key, "other");
        }
    }

    /** The mark stays before a suspect that is not decided, so that nothing is lost with the process. */
    @Test
    void suspectsThatWereWaitingAreMetAgain() {
        Journal journal = Journal.inMemory();
        for (long key = 0; key < ROWS; key++) {
            old.put(key, "same");
            replacement.put(key, "same");
        }
        replacement.rows.remove(5L);
        old.pagesUntilFailure = 25;
        assertThatThrownBy(() -> comparison(journal, Duration.ofSeconds(1)).run())
                .isInstanceOf(SourceFailedException.class);
        old.pagesUntilFailure = Integer.MAX_VALUE;

        assertThat(comparison(journal, Duration.ofSeconds(1)).run().findings(0, 10))
                .singleElement()
                .matches(finding -> finding.key() == 5L);
    }

    @ParameterizedTest
    @EnumSource
    void runThatWasTakenOverWritesNothingMore(TestDatabase.Kind kind) {
        try (TestDatabase database = TestDatabase.create(kind)) {
            Journal journal = JdbiJournal.on(database.jdbi()).createTablesIfMissing();
            supersedes(journal);
        }
    }

    @Test
    void runInMemoryThatWasTakenOverWritesNothingMore() {
        supersedes(Journal.inMemory());
    }

    private void supersedes(Journal journal) {
        Journal.Checkpoint reached = new Journal.Checkpoint(Optional.of("1"), Totals.NONE, false);
        for (boolean fresh : new boolean[] {false, true}) {
            Journal.Run first = journal.open("taken", true);
            first.advance(reached, List.of());
            Journal.Run second = journal.open("taken", fresh);

            assertThatThrownBy(() -> first.advance(reached, List.of()))
                    .isInstanceOf(SupersededException.class)
                    .hasMessageContaining("'taken'");
            assertThat(second.start().mark()).isEqualTo(fresh ? Optional.empty() : Optional.of("1"));
            second.advance(reached, List.of());
        }
    }

    @Test
    void startingOverForgetsTheRunThatIsNotFinished() {
        Journal journal = Journal.inMemory();
        Journal.Run run = journal.open("resume", false);
        run.advance(new Journal.Checkpoint(Optional.of("100"), Totals.NONE, false), List.of());
        old.put(1L, "a");

        ComparisonReport<Long> report = comparison(journal).startOver();

        assertThat(report.isContinued()).isFalse();
        assertThat(report.totals().missingInNew()).isEqualTo(1);
    }
}
