package io.counterpoint.idempotency.examples.appplatform.page;

import io.counterpoint.idempotency.examples.appplatform.http.Callers;
import io.counterpoint.idempotency.examples.appplatform.http.Client.Answer;
import io.counterpoint.idempotency.examples.appplatform.http.Client.Request;
import io.counterpoint.idempotency.examples.appplatform.http.Refusals;
import io.counterpoint.idempotency.examples.appplatform.page.Action.Done;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Jdbi;

/**
 * Many callers press one button, with and without protection at the same time. Some responses get lost, and callers
 * without a response press again. The results are counted in the app table.
 *
 * @param page the URL of the page's server
 * @param token the page's token
 */
record Presses(Service service, Jdbi jdbi, EventStream stream, Callers callers, String page, String token) {

    private static final int MOST_CALLERS = 200;
    private static final int MOST_TRIES = 60;
    private static final long PAUSE_MILLIS = 30;

    /** What happened to one press. */
    private record Pressed(String run, String mode, int caller, String fate, long effects) {}

    /** The totals of a run. */
    private record Counted(int sent, int lost, int answered, int differentAnswers, long effects) {}

    /** The unprotected button: every request creates an app, as in a service without idempotency keys. */
    Done createUnprotected(Input input) throws Refusal {
        UUID app = UUID.randomUUID();
        String name = input.text("name", 100);
        try {
            jdbi.useTransaction(handle -> service.platform().createApp().insert(handle, app, 1, name));
        } catch (Refusal noWorkspace) {
            throw Refusals.busy(String.valueOf(noWorkspace.getMessage()));
        }
        return new Done("The app was made. The library was not asked.", Map.of("app", app));
    }

    Done press(Input input) throws Refusal, IOException, InterruptedException {
        int number = input.number("callers", 1, MOST_CALLERS);
        int lossPercent = input.number("lost", 0, 90);
        boolean oneApp = input.flag("oneApp");
        int wanted = oneApp ? 1 : number;
        String run = UUID.randomUUID().toString().substring(0, 8);
        Side withKey = new Side(run, true);
        Side without = new Side(run, false);
        stream.send("presses", Map.of("run", run, "callers", number, "wanted", wanted));
        List<Callable<Integer>> all = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            int caller = i;
            for (Side side : List.of(withKey, without)) {
                all.add(() -> side.untilAnswered(caller, caller % wanted, lossPercent));
            }
        }
        List<Integer> unused = callers.ask(all);
        return new Done(
                "The library kept one record for each key in the transaction that made the app, so every press after"
                        + " the first got the stored answer. Without it, every press made an app.",
                Map.of(
                        "run",
                        run,
                        "wanted",
                        wanted,
                        withKey.mode(),
                        withKey.counted(),
                        without.mode(),
                        without.counted()));
    }

    /** The callers of a run with keys, or those without, and the counters that they update. */
    private final class Side {

        private final String run;
        private final boolean isProtected;
        private final AtomicInteger sent = new AtomicInteger();
        private final AtomicInteger lost = new AtomicInteger();
        private final AtomicInteger answered = new AtomicInteger();
        private final Set<String> apps = ConcurrentHashMap.newKeySet();

        Side(String run, boolean isProtected) {
            this.run = run;
            this.isProtected = isProtected;
        }

        String mode() {
            return isProtected ? "protected" : "unprotected";
        }

        /** Returns how many times the caller pressed. */
        int untilAnswered(int caller, int app, int lossPercent) throws IOException, InterruptedException {
            Request button = button(app);
            for (int tries = 1; tries <= MOST_TRIES; tries++) {
                String fate = ThreadLocalRandom.current().nextInt(100) < lossPercent ? lose(button) : send(button);
                sent.incrementAndGet();
                stream.send("press", new Pressed(run, mode(), caller, fate, effects()));
                if (fate.equals("done") || fate.equals("replayed")) {
                    answered.incrementAndGet();
                    return tries;
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
            return MOST_TRIES;
        }

        private String prefix() {
            return "pressed " + run + " " + mode() + " ";
        }

        private Request button(int app) {
            return isProtected
                    ? Service.app(prefix() + app, run + "-" + app)
                    : new Request(
                            "/actions/create-unprotected",
                            Service.WORKSPACE,
                            List.of(Gate.HEADER, token),
                            Map.of("name", prefix() + app));
        }

        private String url() {
            return isProtected ? service.platform().service() : page;
        }

        private String lose(Request button) throws IOException, InterruptedException {
            service.client().loseAnswer(url(), button);
            lost.incrementAndGet();
            return "lost";
        }

        private String send(Request button) throws IOException, InterruptedException {
            Answer answer = service.client().once(url(), button);
            if (answer.status() == 409 || answer.status() == 503) {
                return "wait";
            }
            if (!answer.isThere()) {
                return "failed";
            }
            apps.add(answer.body().path("app").asText());
            return answer.replayed() ? "replayed" : "done";
        }

        private long effects() {
            return jdbi.withHandle(handle -> handle.select("SELECT count(*) FROM app WHERE name LIKE ?", prefix() + "%")
                    .mapTo(Long.class)
                    .one());
        }

        Counted counted() {
            return new Counted(sent.get(), lost.get(), answered.get(), apps.size(), effects());
        }
    }
}
