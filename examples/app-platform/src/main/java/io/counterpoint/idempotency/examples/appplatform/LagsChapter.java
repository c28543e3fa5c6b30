package io.counterpoint.idempotency.examples.appplatform;

import java.util.ArrayList;
import java.util.List;

/** What follows with a delay does so within its bound. */
final class LagsChapter implements Chapter {

    private final TourContext context;

    LagsChapter(TourContext context) {
        this.context = context;
    }

    @Override
    public void run() throws InterruptedException {
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
            context.findings()
                    .fact(lag.bound().part() + " within " + lag.bound().lag().toSeconds() + " s", true, lag.holds());
        }
        context.findings().table("lags", "What follows with a delay, under all these requests", rows);
    }
}
