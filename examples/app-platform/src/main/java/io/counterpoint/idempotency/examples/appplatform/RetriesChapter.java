package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.examples.appplatform.http.Client.Answer;
import io.counterpoint.idempotency.examples.appplatform.http.Client.Request;
import io.counterpoint.idempotency.examples.appplatform.usecase.ChargePayment;
import io.counterpoint.idempotency.examples.appplatform.usecase.CreateApp;
import io.counterpoint.idempotency.examples.appplatform.usecase.Policy;
import io.counterpoint.idempotency.examples.appplatform.usecase.ProvisionDatabase;
import io.counterpoint.idempotency.examples.appplatform.usecase.PublishApp;
import io.counterpoint.idempotency.examples.appplatform.usecase.TriggerExecution;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Many clients repeat the requests of every operation; each request takes effect once. */
final class RetriesChapter implements Chapter {

    private static final int SENDS = 3;
    private static final int CALLERS = 64;
    private static final int APPS = 60;
    private static final int PUBLISHED = 20;
    private static final int PROVISIONED = 8;
    private static final int EXECUTIONS = 200;
    private static final int UNPROTECTED = 50;
    private static final long CHARGED = 101;

    private final TourContext context;
    private final List<Object[]> requests = new ArrayList<>();

    RetriesChapter(TourContext context) {
        this.context = context;
    }

    @Override
    public void run() throws IOException, InterruptedException {
        context.chapter("Requests, each sent several times", "sending requests, each several times");
        requests.add(new Object[] {"operation", "requests", "sent", "done", "repeated", "refused", "asked again"});
        List<UUID> apps = create();
        publish(apps);
        provision(apps.subList(PUBLISHED, PUBLISHED + PROVISIONED));
        trigger(apps.get(0));
        charge();
        context.findings().table("requests", "Requests with retries", requests);
    }

    private List<UUID> create() throws IOException, InterruptedException {
        List<Answer> answers = sendAll(
                CreateApp.POLICY, APPS, SENDS, i -> context.createApp(TourContext.HOME, context.name("app", i)));
        List<UUID> apps = different(answers, "app");
        context.fact("create App: apps of " + APPS + " keys, each sent " + SENDS + " times", APPS, apps.size());
        context.fact(
                "create App: apps in the database, each with one version",
                APPS,
                context.count(
                        "app a WHERE a.name LIKE ? AND (SELECT count(*) FROM app_version v WHERE v.app_id = a.id) = 1",
                        "app " + context.runId() + " %"));
        return apps;
    }

    private static List<UUID> different(List<Answer> answers, String field) {
        return answers.stream()
                .map(answer -> UUID.fromString(answer.body().path(field).asText()))
                .distinct()
                .toList();
    }

    private void publish(List<UUID> apps) throws IOException, InterruptedException {
        List<Answer> unused =
                sendAll(PublishApp.POLICY, 1, CALLERS, i -> context.request(PublishApp.POLICY, apps.get(0)));
        List<Answer> unusedToo = sendAll(
                PublishApp.POLICY, PUBLISHED - 1, SENDS, i -> context.request(PublishApp.POLICY, apps.get(1 + i)));
        movedOnce(
                "publish App: " + CALLERS + " callers at once, and the app's moves to published",
                apps.subList(0, 1),
                "published");
        movedOnce(
                "publish App: of " + (PUBLISHED - 1) + " apps, those published once",
                apps.subList(1, PUBLISHED),
                "published");
    }

    private void provision(List<UUID> apps) throws IOException, InterruptedException {
        List<Answer> unused = sendAll(
                ProvisionDatabase.POLICY,
                PROVISIONED,
                SENDS,
                i -> context.request(ProvisionDatabase.POLICY, apps.get(i)));
        movedOnce("provision database: of " + PROVISIONED + " apps, those provisioned once", apps, "ready");
    }

    /** Counts rows in the history: on a slow machine, the schedule may finish what takes too long for the caller. */
    private void movedOnce(String promise, List<UUID> apps, String state) {
        String moves = "transition_history WHERE entity_id = ? AND to_state = ?";
        context.fact(
                promise,
                apps.size(),
                apps.stream()
                        .filter(app -> context.count(moves, app.toString(), state) == 1)
                        .count());
    }

    private void trigger(UUID app) throws IOException, InterruptedException {
        List<Answer> answers = sendAll(
                TriggerExecution.POLICY, EXECUTIONS, SENDS, i -> context.execution(TourContext.HOME, app, "x" + i));
        context.fact(
                "trigger execution: executions of " + EXECUTIONS + " request ids, each sent " + SENDS + " times",
                EXECUTIONS,
                different(answers, "execution").size());
        List<Answer> unprotected = sendAll(
                TriggerExecution.POLICY, UNPROTECTED, SENDS, i -> context.request(TriggerExecution.POLICY, app));
        context.fact(
                "trigger execution: executions of " + UNPROTECTED + " requests without an id, each sent " + SENDS
                        + " times",
                UNPROTECTED * SENDS,
                different(unprotected, "execution").size());
        context.fact(
                "trigger execution: executions in the database, each with its first log row",
                EXECUTIONS + UNPROTECTED * SENDS,
                context.count(
                        "execution e WHERE app_id = ? AND (SELECT count(*) FROM execution_log l"
                                + " WHERE l.execution_id = e.id AND l.line = 0) = 1",
                        app));
    }

    /** The quota is sufficient for some of the concurrent charges, no matter which. */
    private void charge() throws IOException, InterruptedException {
        context.setQuota(CHARGED);
        List<Answer> answers = sendAll(ChargePayment.POLICY, CALLERS, SENDS, i -> context.charge(CHARGED, "t" + i));
        long charged = context.charges(CHARGED);
        context.fact(
                "payment: " + CALLERS + " transactions of " + TourContext.AMOUNT + ", each sent " + SENDS
                        + " times, on a quota of " + TourContext.QUOTA + ": charged",
                TourContext.QUOTA / TourContext.AMOUNT,
                charged);
        context.fact(
                "payment: transactions whose answers say so",
                charged,
                IntStream.range(0, CALLERS)
                        .filter(i -> answers.subList(i * SENDS, (i + 1) * SENDS).stream()
                                .anyMatch(Answer::isThere))
                        .count());
        context.fact(
                "payment: what is left of the quota", TourContext.QUOTA % TourContext.AMOUNT, context.left(CHARGED));
    }

    private List<Answer> sendAll(Policy policy, int number, int sends, IntFunction<Request> request)
            throws IOException, InterruptedException {
        List<Request> all = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            all.addAll(Collections.nCopies(sends, request.apply(i)));
        }
        List<Answer> answers = context.send(all);
        int sent = answers.size();
        long there = answers.stream().filter(Answer::isThere).count();
        long repeated = answers.stream().filter(Answer::isRepeated).count();
        int again = answers.stream().mapToInt(Answer::again).sum();
        context.findings()
                .tell(policy.operation() + ": " + number + " requests, sent " + sent + " times: " + (there - repeated)
                        + " done, " + repeated + " repeated, " + (sent - there) + " refused.");
        requests.add(new Object[] {policy.operation(), number, sent, there - repeated, repeated, sent - there, again});
        return answers;
    }
}
