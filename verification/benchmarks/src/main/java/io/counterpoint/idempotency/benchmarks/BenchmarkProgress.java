package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.programs.ProgressLines;

/** Prints progress to standard error, so that a long run does not seem stuck. */
final class BenchmarkProgress {

    private static final ProgressLines LINES = ProgressLines.atOnce(System.err);

    private BenchmarkProgress() {}

    /** Prints what is happening, unless something was printed a moment ago. */
    static void say(String what) {
        LINES.say(() -> what);
    }
}
