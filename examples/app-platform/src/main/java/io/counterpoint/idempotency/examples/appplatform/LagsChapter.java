package io.counterpoint.idempotency.examples.appplatform;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What follows with a delay does so within its bound. */
final class LagsChapter implements Chapter {

    private final TourContext context;

    LagsChapter(TourContext context) {
        this.context = context;
    }

    @Override
    public void run() throws InterruptedException {
        context.findings().chapter("What follows with a delay, under all these requests");
        context.progress().accept("waiting until everything has followed");
        context.waitFor("the parts that follow", context.platform()::isQuiet);
        List<Object[]> rows = new ArrayList<>();
        rows.add(new Object[] {"part", "bound", "followed", "longest lag ms", "holds"});
        for (Lag.Measured lag : context.platform().lags()) {
            rows.add(new Object[] {
                lag.bound().part(),
                lag.bound().lag().toSeconds() + " s",
                lag.events(),
                lag.worst().toMillis(),
                lag.holds() ? "yes" : "NO"
            });
            context.findings().bound(lag);
            context.findings()
                    .tell(String.format(
                            Locale.ROOT,
                            "%s: %d, at most %.1f s later; the bound is %d s.",
                            lag.bound().part(),
                            lag.events(),
                            lag.worst().toMillis() / 1000.0,
                            lag.bound().lag().toSeconds()));
        }
        context.findings().table("lags", "What follows with a delay, under all these requests", rows);
    }
}
