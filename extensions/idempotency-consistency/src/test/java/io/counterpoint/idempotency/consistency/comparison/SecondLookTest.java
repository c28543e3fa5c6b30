package io.counterpoint.idempotency.consistency.comparison;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is seen twice is a finding, and what is not was a write in flight. */
class SecondLookTest {

    private static final Duration AGE = Duration.ofSeconds(1);

    private final TestClock clock = new TestClock();
    private final MapSource<Long> old = new MapSource<>(KeyOrder.longs());
    private final MapSource<Long> replacement = new MapSource<>(KeyOrder.longs());
    private final Comparison<Long> comparison = Comparison.builder("second look", old, replacement)
            .clock(clock)
            .minimumAge(AGE)
            .build();

    @Test
    void writeThatReachesTheOtherSideMeanwhileIsNoFinding() {
        old.put(1L, "a").put(2L, "b").put(3L, "c");
        replacement.put(1L, "before").put(3L, "c").put(4L, "to be deleted");
        clock.meanwhile = () -> {
            replacement.put(1L, "a").put(2L, "b");
            replacement.rows.remove(4L);
        };

        ComparisonReport<Long> report = comparison.run();

        assertThat(report.isClean()).isTrue();
        assertThat(report.totals().dismissed()).isEqualTo(3);
        assertThat(report.findings(0, 10)).isEmpty();
    }

    @Test
    void differenceThatIsLeftAloneIsConfirmedAtTheSecondLook() {
        old.put(1L, "a");

        ComparisonReport<Long> report = comparison.run();

        assertThat(report.totals().missingInNew()).isEqualTo(1);
        assertThat(clock.now()).isEqualTo(java.time.Instant.EPOCH.plus(AGE));
    }

    @Test
    void rowThatIsWrittenAgainWaitsAgain() {
        old.put(1L, "a");
        replacement.put(1L, "b");
        clock.meanwhile = () -> {
            if (clock.sleeps == 1) {
                old.put(1L, "c");
            }
        };

        ComparisonReport<Long> report = comparison.run();

        assertThat(clock.sleeps).isEqualTo(2);
        assertThat(report.totals().different()).isEqualTo(1);
    }

    @Test
    void rowThatChangedAndChangedBackIsFoundByItsVersion() {
        replacement.put(1L, "b");
        old.rows.put(1L, new Row<>(1L, Map.of("value", "a"), 7));
        clock.meanwhile = () -> {
            if (clock.sleeps == 1) {
                old.rows.put(1L, new Row<>(1L, Map.of("value", "a"), 9));
            } else {
                replacement.put(1L, "a");
            }
        };

        assertThat(comparison.run().isClean()).isTrue();
    }

    @Test
    void rowThatNeverComesToRestIsCountedAndTheOthersAreFound() {
        old.put(1L, 0).put(2L, "a");
        replacement.put(1L, -1);
        clock.meanwhile = () -> old.put(1L, clock.sleeps);

        ComparisonReport<Long> report = comparison.run();

        assertThat(report.totals().undecided()).isEqualTo(1);
        assertThat(report.isClean()).isFalse();
        assertThat(report.findings(0, 10)).singleElement().matches(finding -> finding.key() == 2L);
    }

    @Test
    void suspectsThatWaitHoldTheReaderBackAndNothingIsLost() {
        for (long key = 1; key <= 100; key++) {
            old.put(key, "a");
        }
        Comparison<Long> tight = Comparison.builder("tight", old, replacement)
                .clock(clock)
                .minimumAge(AGE)
                .maxSuspects(10)
                .build();

        assertThat(tight.run().totals().missingInNew()).isEqualTo(100);
        assertThat(clock.sleeps).isEqualTo(10);
    }

    @Test
    void differenceThatIsGoneAtTheSecondLookIsNotAmongTheChecked() {
        old.put(1L, "a").put(2L, "b");
        clock.meanwhile = () -> replacement.put(1L, "a");

        assertThat(comparison.check(java.util.List.of(2L, 1L, 3L)))
                .singleElement()
                .matches(finding -> finding.key() == 2L);
    }

    @Test
    void interruptedRunSaysSoAndIsContinued() {
        old.put(1L, "a");
        clock.meanwhile = () -> Thread.currentThread().interrupt();
        assertThatThrownBy(comparison::run)
                .isInstanceOf(InterruptedRunException.class)
                .hasMessageContaining("second look");
        assertThat(Thread.interrupted()).isTrue();
        clock.meanwhile = () -> {};

        assertThat(comparison.run().totals().missingInNew()).isEqualTo(1);
    }

    @Test
    void progressIsReportedEveryTwoSecondsOfWaiting() {
        old.put(1L, "a");
        var reported = new java.util.ArrayList<ComparisonProgress>();
        Comparison.builder("slow", old, replacement)
                .clock(clock)
                .minimumAge(Duration.ofSeconds(7))
                .progress(reported::add)
                .build()
                .run();
        assertThat(reported).hasSize(3);
        assertThat(reported.get(0)).hasToString("slow: compare, 1 old and 0 new rows, 1 suspects, 0 findings, 2 s");
    }

    @Test
    void sourceOutOfItsOrderIsRefused() {
        Source<Long> backwards = new Source<>() {
            @Override
            public KeyOrder<Long> order() {
                return KeyOrder.longs();
            }

            @Override
            public java.util.List<Row<Long>> page(Optional<Long> after, int limit) {
                return java.util.List.of(Row.of(5L, Map.of()), Row.of(4L, Map.of()));
            }

            @Override
            public java.util.List<Row<Long>> find(java.util.Collection<Long> keys) {
                return java.util.List.of();
            }
        };
        assertThatThrownBy(() -> Comparison.builder("backwards", old, backwards)
                        .clock(clock)
                        .pageSize(2)
                        .build()
                        .run())
                .isInstanceOf(OutOfOrderException.class)
                .hasMessageContaining("The new source returned the key 4 after 5");
    }
}
