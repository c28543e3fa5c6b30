package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.programs.ProgressLines;

/** Lines on standard error, so that nobody wonders whether a long run still runs. */
final class BenchmarkProgress {

    private static final ProgressLines LINES = ProgressLines.atOnce(System.err);

    private BenchmarkProgress() {}

    /** Says what happens now, unless something was said a moment ago. */
    static void say(String what) {
        LINES.say(() -> what);
    }
}
