package io.counterpoint.idempotency.examples.appplatform;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.examples.appplatform.Client.Request;
import io.counterpoint.idempotency.examples.appplatform.usecase.Policy;
import io.counterpoint.idempotency.examples.appplatform.usecase.ProvisionDatabase;
import io.counterpoint.idempotency.examples.appplatform.usecase.PublishApp;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** A second node is killed with a leader at every step. Others finish what they have left. */
final class KilledLeadersChapter implements Chapter {

    private static final long TRIGGERED = TourContext.HOME + 4;
    /** None of them is that of another request, which would hold its row. */
    private static final List<Long> CHARGED =
            List.of(TourContext.HOME + 2, TourContext.HOME + 3, TourContext.HOME + 5, TourContext.HOME + 6);

    private final DatabaseAddress forOthers;
    private final TourContext context;

    /**
     * The chapter of a tour.
     *
     * @param forOthers where the second node finds the database
     */
    KilledLeadersChapter(DatabaseAddress forOthers, TourContext context) {
        this.forOthers = forOthers;
        this.context = context;
    }

    @Override
    public void run() throws CannotRun, IOException, InterruptedException {
        context.findings().chapter("A node is killed with kill -9, with a leader at every step");
        context.progress().accept("starting a second node, to kill it with a leader at every step");
        List<UUID> apps = context
                .send(
                        // No request shares a workspace with a request that would hold its row.
                        IntStream.range(0, 15)
                                .mapToObj(i -> context.createApp(
                                        i < 14 ? TourContext.HOME : TRIGGERED, "doomed " + context.runId() + " " + i))
                                .toList())
                .stream()
                .map(answer -> UUID.fromString(answer.body().path("app").asText()))
                .toList();
        List<Request> create = List.of(
                context.createApp(TourContext.HOME, "killed " + context.runId() + " 0"),
                context.createApp(TourContext.HOME, "killed " + context.runId() + " 1"));
        List<Request> publish = apps.subList(0, 5).stream()
                .map(app -> context.request(PublishApp.POLICY, app))
                .toList();
        List<Request> provision = apps.subList(5, 13).stream()
                .map(app -> context.request(ProvisionDatabase.POLICY, app))
                .toList();
        List<Request> trigger = List.of(
                context.execution(TourContext.HOME, apps.get(13), "killed 0"),
                context.execution(TRIGGERED, apps.get(14), "killed 1"));
        List<Request> charge = CHARGED.stream()
                .map(charged -> context.charge(charged, "killed " + charged))
                .toList();
        CHARGED.forEach(context::setQuota);
        List<Request> all = new ArrayList<>();
        List.of(create, publish, provision, trigger, charge).forEach(all::addAll);
        kill(all);

        List<Object[]> rows = new ArrayList<>();
        rows.add(new Object[] {"operation", "leaders killed", "left behind", "then"});
        List<String> left = state(apps);
        for (Request request : all) {
            // These requests wait for the holders of abandoned work.
            context.findings().severity(context.send(request).isThere() ? 0 : 2);
        }
        context.waitFor(
                "what was abandoned",
                () -> context.count("app WHERE status = 'publishing'") == 0
                        && context.count("app WHERE database_status IN ('creating', 'migrating')") == 0
                        && context.count(
                                        "execution WHERE app_id IN (?, ?) AND status = 'succeeded'",
                                        apps.get(13),
                                        apps.get(14))
                                == 2);
        List<String> then = state(apps);
        List<Policy> policies = Api.POLICIES;
        List<Integer> numbers = List.of(create.size(), publish.size(), provision.size(), trigger.size(), charge.size());
        for (int i = 0; i < policies.size(); i++) {
            rows.add(new Object[] {policies.get(i).operation(), numbers.get(i), left.get(i), then.get(i)});
            context.findings()
                    .tell(policies.get(i).operation() + ": " + numbers.get(i) + " leaders killed. Left: " + left.get(i)
                            + ". Then: " + then.get(i) + ".");
        }
        context.findings()
                .table("killed", "A node killed with kill -9, a leader at every step; its clients ask another", rows);
        context.findings()
                .fact(
                        "what " + all.size() + " killed leaders left, once everybody has asked again",
                        List.of("2 apps", "5 published", "8 ready", "2 executions, 2 run", "4 charges, 4 paid"),
                        then);
    }

    private void kill(List<Request> all) throws CannotRun, IOException, InterruptedException {
        Process process = DoomedNode.program(forOthers, context.platform().outside())
                .builder()
                .start();
        CompletableFuture<Void> tooLate = new CompletableFuture<Process>()
                .completeOnTimeout(process, TourContext.LONGEST_WAIT.toSeconds(), TimeUnit.SECONDS)
                .thenAccept(Process::destroyForcibly);
        try (BufferedReader said = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            String node = await(said, DoomedNode.READY);
            context.client().sendIntoTheDark(node, all);
            String unused = await(said, DoomedNode.DOOMED);
            context.progress().accept("killing it");
        } finally {
            boolean unused = tooLate.cancel(false);
            process.destroyForcibly();
            process.waitFor();
        }
    }

    private static String await(BufferedReader said, String beginning) throws CannotRun, IOException {
        StringBuilder before = new StringBuilder();
        for (String line = said.readLine(); line != null; line = said.readLine()) {
            if (line.startsWith(beginning)) {
                return line.substring(beginning.length());
            }
            before.append(line).append(' ');
        }
        throw new CannotRun(
                "The second node did not get so far: " + before.toString().strip() + ".");
    }

    /** What became of the killed leaders' rows, an entry for each operation. */
    private List<String> state(List<UUID> apps) {
        return List.of(
                context.count("app WHERE name LIKE ?", "killed " + context.runId() + " %") + " apps",
                statuses("status", apps.subList(0, 5)),
                statuses("database_status", apps.subList(5, 13)),
                context.count("execution WHERE app_id IN (?, ?)", apps.get(13), apps.get(14))
                        + " executions, "
                        + context.count(
                                "execution WHERE app_id IN (?, ?) AND status = 'succeeded'", apps.get(13), apps.get(14))
                        + " run",
                CHARGED.stream().mapToLong(context::charges).sum()
                        + " charges, "
                        + context.count(
                                "charge WHERE status = 'paid' AND transaction_id LIKE ?", context.runId() + "-killed-%")
                        + " paid");
    }

    private String statuses(String column, List<UUID> apps) {
        return context.platform()
                .database()
                .jdbi()
                .withHandle(handle -> String.join(
                        ", ",
                        handle.createQuery("SELECT count(*), " + column + " FROM app WHERE id IN (<apps>) GROUP BY "
                                        + column + " ORDER BY " + column)
                                .bindList("apps", apps)
                                .map((row, columns) -> row.getLong(1) + " " + row.getString(2))
                                .list()));
    }
}
