package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.examples.appplatform.http.Client.Request;
import io.counterpoint.idempotency.examples.appplatform.usecase.ProvisionDatabase;
import io.counterpoint.idempotency.examples.appplatform.usecase.PublishApp;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import io.counterpoint.idempotency.programs.process.ChildProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Kills a second node that has a leader at every step. Others finish what the leaders left behind.
 *
 * @param forOthers where the second node finds the database
 */
record KilledLeadersChapter(DatabaseAddress forOthers, TourContext context) implements Chapter {

    private static final String TITLE = "A node is killed with kill -9, with a leader at every step";

    // Separate workspaces, so that no request waits for a row that another one holds.
    private static final long TRIGGERED = TourContext.HOME + 4;
    private static final List<Long> CHARGED =
            List.of(TourContext.HOME + 2, TourContext.HOME + 3, TourContext.HOME + 5, TourContext.HOME + 6);

    /** The apps in each operation. */
    private record Apps(List<UUID> published, List<UUID> provisioned, List<UUID> triggered) {}

    @Override
    public void run() throws CannotRun, IOException, InterruptedException {
        context.chapter(TITLE, "starting a second node, to kill it with a leader at every step");
        Apps apps = new Apps(
                context.createApps(TourContext.HOME, "doomed to publish", 5),
                context.createApps(TourContext.HOME, "doomed to provision", 8),
                List.of(
                        context.createApps(TourContext.HOME, "doomed to run", 1).get(0),
                        context.createApps(TRIGGERED, "doomed to run there", 1).get(0)));
        CHARGED.forEach(context::setQuota);
        List<List<Request>> requests = requests(apps);
        List<Request> all = requests.stream().flatMap(List::stream).toList();
        kill(all);
        List<String> left = state(apps);
        for (Request request : all) {
            // These requests wait for the owners of abandoned work.
            context.findings().severity(context.send(request).isThere() ? 0 : 2);
        }
        context.waitFor(
                "what was abandoned",
                () -> context.count("app WHERE status = 'publishing' OR database_status IN ('creating', 'migrating')")
                                == 0
                        && executions(apps, "status = 'succeeded'") == 2);
        List<String> then = state(apps);
        List<Object[]> rows = new ArrayList<>();
        rows.add(new Object[] {"operation", "leaders killed", "left behind", "then"});
        for (int i = 0; i < requests.size(); i++) {
            String operation = Api.POLICIES.get(i).operation();
            int killed = requests.get(i).size();
            rows.add(new Object[] {operation, killed, left.get(i), then.get(i)});
            context.findings()
                    .tell(operation + ": " + killed + " leaders killed. Left: " + left.get(i) + ". Then: " + then.get(i)
                            + ".");
        }
        context.findings().table("killed", TITLE + "; its clients ask another", rows);
        context.fact(
                "what " + all.size() + " killed leaders left, once everybody has asked again",
                List.of("2 apps", "5 published", "8 ready", "2 executions, 2 run", "4 charges, 4 paid"),
                then);
    }

    /** The requests for each operation, in the order of {@link Api#POLICIES}. */
    private List<List<Request>> requests(Apps apps) {
        return List.of(
                List.of(
                        context.createApp(TourContext.HOME, context.name("killed", 0)),
                        context.createApp(TourContext.HOME, context.name("killed", 1))),
                apps.published().stream()
                        .map(app -> context.request(PublishApp.POLICY, app))
                        .toList(),
                apps.provisioned().stream()
                        .map(app -> context.request(ProvisionDatabase.POLICY, app))
                        .toList(),
                List.of(
                        context.execution(TourContext.HOME, apps.triggered().get(0), "killed 0"),
                        context.execution(TRIGGERED, apps.triggered().get(1), "killed 1")),
                CHARGED.stream()
                        .map(charged -> context.charge(charged, "killed " + charged))
                        .toList());
    }

    private void kill(List<Request> all) throws CannotRun, IOException, InterruptedException {
        CountDownLatch doomed = new CountDownLatch(1);
        ChildProcess node =
                ChildProcess.start(NodeMain.program(forOthers, context.platform().outside), (process, line) -> {
                    if (line.equals(NodeMain.DOOMED)) {
                        doomed.countDown();
                    }
                });
        try {
            context.client().sendIntoTheDark(node.awaitReady(TourContext.LONGEST_WAIT), all);
            if (!doomed.await(TourContext.LONGEST_WAIT.toSeconds(), TimeUnit.SECONDS)) {
                throw new CannotRun("The second node did not get a leader to every step.");
            }
            context.progress().accept("killing it");
        } finally {
            node.kill();
            node.awaitEnd(TourContext.LONGEST_WAIT);
        }
    }

    /** The state of the killed leaders' rows, one entry per operation. */
    private List<String> state(Apps apps) {
        String charges = "charge WHERE transaction_id LIKE ?";
        String ofThese = context.runId() + "-killed-%";
        return List.of(
                context.count("app WHERE name LIKE ?", "killed " + context.runId() + " %") + " apps",
                statuses("status", apps.published()),
                statuses("database_status", apps.provisioned()),
                executions(apps, "1 = 1") + " executions, " + executions(apps, "status = 'succeeded'") + " run",
                context.count(charges, ofThese) + " charges, "
                        + context.count(charges + " AND status = 'paid'", ofThese) + " paid");
    }

    private long executions(Apps apps, String condition) {
        return context.count(
                "execution WHERE app_id IN (?, ?) AND " + condition,
                apps.triggered().get(0),
                apps.triggered().get(1));
    }

    private String statuses(String column, List<UUID> apps) {
        String query = "SELECT count(*) || ' ' || " + column + " FROM app WHERE id IN (<apps>) GROUP BY " + column
                + " ORDER BY " + column;
        return context.platform()
                .database
                .jdbi()
                .withHandle(handle -> String.join(
                        ", ",
                        handle.createQuery(query)
                                .bindList("apps", apps)
                                .mapTo(String.class)
                                .list()));
    }
}
