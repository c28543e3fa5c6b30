package io.counterpoint.idempotency.examples.appplatform;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the tour judges its findings, and what it prints meanwhile. */
class FindingsTest {

    private static final Bound BOUND = new Bound("search index", "an event", "nothing", Duration.ofSeconds(5));

    @TempDir
    Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final PrintStream stream = new PrintStream(out, true, UTF_8);

    private Findings lateSearch(boolean boundsCount) throws IOException {
        Findings findings = Findings.story(stream, false, folder);
        findings.fact("apps made", 3, 3);
        findings.bound(new Lag(BOUND, 9, Duration.ofMillis(7_100)));
        findings.judgeBounds(boundsCount);
        findings.verdict();
        return findings;
    }

    @Test
    void missedBoundIsBrokenOnAMachineThatHasTime() throws IOException {
        assertThat(lateSearch(true).exitCode()).isEqualTo(2);
        assertThat(out.toString(UTF_8)).contains("MISSED: search index took up to 7.1 s, and its bound is 5 s.");
    }

    @Test
    void missedBoundIsNamedAndDoesNotCountUnderLoad() throws IOException {
        assertThat(lateSearch(false).exitCode()).isZero();
        assertThat(out.toString(UTF_8))
                .contains(
                        "Missed under this load, which does not count: search index took up to 7.1 s", "Kept: 1 of 1");
    }

    @Test
    void brokenPromiseCountsUnderLoadToo() throws IOException {
        Findings findings = Findings.story(stream, false, folder);
        for (int i = 0; i < 30; i++) {
            findings.fact("promise " + i, 1, 2);
        }
        findings.judgeBounds(false);
        findings.verdict();
        assertThat(findings.exitCode()).isEqualTo(2);
        assertThat(out.toString(UTF_8)).contains("BROKEN: promise 0: expected 1, found 2.", "NOT kept: 30 of 30");
        assertThat(out.toString(UTF_8).lines()).hasSizeLessThan(15);
        assertThat(folder.resolve("tour.txt")).content().contains("promise 29");
    }

    @Test
    void stepOfMoreThanTwoSecondsIsNamedAgain() {
        AtomicLong now = new AtomicLong();
        DemonstrationProgress progress = new DemonstrationProgress(stream, now::get);
        progress.step("checking");
        after(now, progress, 1_900);
        assertThat(out.toString(UTF_8)).isEqualToNormalizingNewlines("  checking\n");
        after(now, progress, 200);
        after(now, progress, 200);
        after(now, progress, 2_000);
        progress.step("repairing");
        after(now, progress, 100);
        progress.rest();
        after(now, progress, 60_000);
        assertThat(out.toString(UTF_8))
                .isEqualToNormalizingNewlines(
                        "  checking\n   still checking, after 2 s\n   still checking, after 4 s\n  repairing\n");
    }

    private static void after(AtomicLong now, DemonstrationProgress progress, long millis) {
        now.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
        progress.tick();
    }
}
