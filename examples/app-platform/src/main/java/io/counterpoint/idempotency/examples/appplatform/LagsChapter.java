package io.counterpoint.idempotency.examples.appplatform;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Verifies that eventually consistent parts stay within their bounds. */
record LagsChapter(TourContext context) implements Chapter {

    private static final String TITLE = "Eventually consistent parts, under all these requests";

    @Override
    public void run() throws InterruptedException {
        context.chapter(TITLE, "waiting until everything is up to date");
        context.waitFor("the parts that follow", context.platform()::isQuiet);
        List<Object[]> rows = new ArrayList<>();
        rows.add(new Object[] {"part", "bound", "followed", "longest lag ms", "holds"});
        for (Lag lag : context.platform().lags.now()) {
            String part = lag.bound().part();
            long bound = lag.bound().lag().toSeconds();
            long worst = lag.worst().toMillis();
            rows.add(new Object[] {part, bound + " s", lag.events(), worst, lag.holds() ? "yes" : "NO"});
            context.findings().bound(lag);
            context.findings()
                    .tell(String.format(
                            Locale.ROOT,
                            "%s: %d, at most %.1f s later; the bound is %d s.",
                            part,
                            lag.events(),
                            worst / 1000.0,
                            bound));
        }
        context.findings().table("lags", TITLE, rows);
    }
}
