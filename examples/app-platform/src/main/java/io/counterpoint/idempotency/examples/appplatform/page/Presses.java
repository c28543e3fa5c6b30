package io.counterpoint.idempotency.examples.appplatform.page;

import io.counterpoint.idempotency.examples.appplatform.page.Action.Done;
import io.counterpoint.idempotency.examples.appplatform.page.LossyClient.Answer;
import io.counterpoint.idempotency.examples.appplatform.page.LossyClient.Sent;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.Json;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Jdbi;

/**
 * Many callers press one button, with and without protection at the same time. Answers get lost, and who got none
 * presses again. What came of it is counted in the table of apps.
 */
final class Presses implements AutoCloseable {

    static final int MOST_CALLERS = 200;

    private static final int AT_ONCE = 24;
    private static final int MOST_TRIES = 60;
    private static final long PAUSE_MILLIS = 30;
    private static final long WORKSPACE = 1;

    /** How a caller asks. */
    enum Mode {
        PROTECTED,
        UNPROTECTED;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What became of one press. */
    enum Fate {
        LOST,
        DONE,
        REPLAYED,
        WAIT,
        FAILED;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What is counted while a run goes on. */
    private static final class Count {
        final AtomicInteger sent = new AtomicInteger();
        final AtomicInteger lost = new AtomicInteger();
        final AtomicInteger answered = new AtomicInteger();
        final Set<String> apps = ConcurrentHashMap.newKeySet();
    }

    private final Jdbi jdbi;
    private final EventStream stream;
    private final Map<Mode, URI> buttons;
    private final String pageToken;
    private final LossyClient client = new LossyClient();
    private final ExecutorService callers = Executors.newFixedThreadPool(2 * AT_ONCE, work -> {
        Thread thread = new Thread(work, "caller");
        thread.setDaemon(true);
        return thread;
    });

    Presses(Jdbi jdbi, EventStream stream, Map<Mode, URI> buttons, String pageToken) {
        this.jdbi = jdbi;
        this.stream = stream;
        this.buttons = buttons;
        this.pageToken = pageToken;
    }

    List<Action> actions() {
        return List.of(new Action(
                "press",
                "docs/protocol.md#guarantees",
                "examples/app-platform/src/test/java/io/counterpoint/idempotency/examples/appplatform/PagePressesTest.java",
                this::press));
    }

    private Done press(Input input) throws Refused, IOException, InterruptedException {
        int number = input.number("callers", 1, MOST_CALLERS);
        int lossPercent = input.number("lost", 0, 90);
        boolean oneApp = input.flag("oneApp");
        String run = UUID.randomUUID().toString().substring(0, 8);
        Count withKey = new Count();
        Count without = new Count();
        stream.send("presses", Map.of("run", run, "callers", number, "wanted", oneApp ? 1 : number));
        List<Callable<Integer>> all = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            for (Mode mode : Mode.values()) {
                int caller = i;
                Count count = mode == Mode.PROTECTED ? withKey : without;
                all.add(() -> untilAnswered(mode, run, caller, oneApp ? 0 : caller, lossPercent, count));
            }
        }
        for (Future<Integer> caller : callers.invokeAll(all)) {
            try {
                int unused = caller.get();
            } catch (ExecutionException e) {
                throw new IOException("A caller gave up: " + CannotRun.rootMessage(e), e);
            }
        }
        Map<String, Object> found = new LinkedHashMap<>();
        found.put("run", run);
        found.put("wanted", oneApp ? 1 : number);
        found.put(Mode.PROTECTED.word(), counted(run, Mode.PROTECTED, withKey));
        found.put(Mode.UNPROTECTED.word(), counted(run, Mode.UNPROTECTED, without));
        return new Done(
                "The library kept one record for each key in the transaction that made the app, so every press after"
                        + " the first got the stored answer. Without it, every press made an app.",
                found);
    }

    /** Returns how often the caller pressed. */
    private int untilAnswered(Mode mode, String run, int caller, int wanted, int lossPercent, Count count)
            throws IOException, InterruptedException {
        Sent sent = button(mode, run, wanted);
        for (int tries = 1; tries <= MOST_TRIES; tries++) {
            Fate fate = ThreadLocalRandom.current().nextInt(100) < lossPercent ? lose(sent) : send(sent, count);
            count.sent.incrementAndGet();
            if (fate == Fate.LOST) {
                count.lost.incrementAndGet();
            }
            stream.send(
                    "press",
                    Map.of(
                            "run",
                            run,
                            "mode",
                            mode.word(),
                            "caller",
                            caller,
                            "fate",
                            fate.word(),
                            "effects",
                            effects(run, mode)));
            if (fate == Fate.DONE || fate == Fate.REPLAYED) {
                count.answered.incrementAndGet();
                return tries;
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
        return MOST_TRIES;
    }

    private Sent button(Mode mode, String run, int wanted) {
        String name = prefix(run, mode) + wanted;
        List<String> headers = mode == Mode.PROTECTED
                ? List.of("Workspace", Long.toString(WORKSPACE), "Idempotency-Key", "\"" + run + "-" + wanted + "\"")
                : List.of("Workspace", Long.toString(WORKSPACE), Gate.HEADER, pageToken);
        URI to = buttons.get(mode);
        if (to == null) {
            throw new IllegalStateException("There is no button for " + mode + ".");
        }
        return new Sent(to, headers, Json.of(Map.of("name", name)).toString());
    }

    private Fate lose(Sent sent) throws IOException {
        client.sendAndLoseTheAnswer(sent);
        return Fate.LOST;
    }

    private Fate send(Sent sent, Count count) throws IOException, InterruptedException {
        Answer answer = client.send(sent);
        if (answer.status() == 409 || answer.status() == 503) {
            return Fate.WAIT;
        }
        if (answer.status() >= 300) {
            return Fate.FAILED;
        }
        count.apps.add(answer.body().path("app").asText());
        return answer.replayed() ? Fate.REPLAYED : Fate.DONE;
    }

    private static String prefix(String run, Mode mode) {
        return "pressed " + run + " " + mode.word() + " ";
    }

    private long effects(String run, Mode mode) {
        return jdbi.withHandle(handle -> handle.createQuery("SELECT count(*) FROM app WHERE name LIKE ?")
                .bind(0, prefix(run, mode) + "%")
                .mapTo(Long.class)
                .one());
    }

    private Map<String, Object> counted(String run, Mode mode, Count count) {
        Map<String, Object> counted = new LinkedHashMap<>();
        counted.put("sent", count.sent.get());
        counted.put("lost", count.lost.get());
        counted.put("answered", count.answered.get());
        counted.put("differentAnswers", count.apps.size());
        counted.put("effects", effects(run, mode));
        return counted;
    }

    @Override
    public void close() {
        callers.shutdownNow();
    }
}
