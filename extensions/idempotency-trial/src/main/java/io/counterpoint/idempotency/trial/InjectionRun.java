package io.counterpoint.idempotency.trial;

import io.counterpoint.idempotency.trial.FaultInjection.Call;
import io.counterpoint.idempotency.trial.FaultInjection.Pause;
import io.counterpoint.idempotency.trial.Wrong.Where;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The cases of one use case. */
final class InjectionRun implements AutoCloseable {

    /** How long a task may keep a connection after its call, and how long retries may remain without an outcome. */
    private static final Duration RETURNS = Duration.ofSeconds(2);

    private static final long BOUND_OF_A_CALL_S = 60;

    /** How long a commit is held back for duplicates, which may wait for its locks. */
    private static final Duration HELD_BACK = Duration.ofMillis(200);

    private final FaultInjection asked;
    private final FailingDriver driver;
    private final Call call;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final String keys = UUID.randomUUID().toString().substring(0, 8) + "-";
    private final List<Done> done = new ArrayList<>();
    private final List<Part> parts = new ArrayList<>();
    private final TrialProgress progress;
    private int lastKey;

    /** A named part that runs as a unit and returns what was wrong. */
    record Part(String name, Callable<List<Wrong>> run) {}

    /** A key that is not called any more. */
    private record Done(Where where, String key, Counted effects) {}

    /** One fault at one call. */
    private record Injected(int number, Place place, Fault fault, int duplicates) {
        Where where(@Nullable Place struck) {
            String when = (fault.isThrown() ? place.call().done(fault.when()) : "")
                    + (duplicates == 0 ? "" : ", beside " + duplicates + " duplicates");
            return Where.of(number, struck == null ? place : struck, fault.what(), when);
        }
    }

    private InjectionRun(FaultInjection asked, FailingDriver driver, Call call) {
        this.asked = asked;
        this.driver = driver;
        this.call = call;
        this.progress = new TrialProgress(asked.bound, asked.seed);
    }

    static InjectionRun of(FaultInjection asked) throws Exception {
        FailingDriver driver = FailingDriver.before(asked.source);
        if (asked.effects.isEmpty()) {
            throw new IllegalArgumentException("Nothing was run: declare the effects with countingEffects(…).");
        }
        DisposableDatabase.require(driver.plain(), asked.database, asked.host);
        Call call = asked.useCase.open(driver.dataSource());
        InjectionRun run = new InjectionRun(asked, driver, call);
        run.plan();
        return run;
    }

    List<Part> parts() {
        return parts;
    }

    /** Calls twice without a fault, because the first call may do things that later ones don't. */
    private void plan() throws Exception {
        ask(newKey());
        String key = newKey();
        Verdict verdict = new Verdict();
        driver.record();
        Answer answer = ask(key);
        List<Place> places = driver.recorded();
        if (places.isEmpty()) {
            throw new IllegalArgumentException("The use case made no JDBC call through the data source it was given.");
        }
        look(verdict, key, List.of(answer));
        verdict.requireSuccess();
        ask(newKey());
        ask(newKey());
        List<Wrong> wrong = retried(verdict, key, Where.HEALTHY, false);
        parts.add(new Part("without a fault", () -> wrong));
        Pause pause = asked.pause;
        if (pause != null) {
            parts.add(new Part("retried late", () -> late(pause)));
        }
        if (asked.duplicates > 0) {
            parts.add(new Part("duplicates before a commit", () -> overtaken(places)));
        }
        parts.add(new Part("unknown outcome", () -> unknown(places)));
        for (int i = 0; i < places.size(); i++) {
            List<Injected> cases = casesOf(places, i + 1);
            if (!cases.isEmpty()) {
                parts.add(new Part("call " + (i + 1) + ": " + places.get(i), () -> run(cases)));
                progress.plan(cases.size());
            }
        }
        if (asked.killed != null) {
            KilledProcesses killed = new KilledProcesses(asked, places);
            parts.add(new Part("killed processes", () -> run(killed)));
            progress.plan(killed.kills().size());
        }
        parts.add(new Part("afterwards", this::afterwards));
    }

    /**
     * Distributes the faults among equivalent calls. A fault after a call that stays in the driver is equivalent to one
     * before it.
     */
    private List<Injected> casesOf(List<Place> places, int number) {
        Place place = places.get(number - 1);
        List<Integer> alike = Place.classes(places).stream()
                .filter(numbers -> numbers.contains(number))
                .findFirst()
                .orElseThrow();
        List<Fault> fitting = Fault.of(place.call());
        List<Injected> cases = new ArrayList<>();
        for (int i = 0; i < fitting.size(); i++) {
            Fault fault = fitting.get(i);
            // A closed connection is returned no matter what close throws, as in every pool.
            boolean notClosed = place.call().givesBack() && fault.isThrown() && !fault.isAfter();
            if (alike.get(i % alike.size()) == number && !fault.isLikeBefore(place.call()) && !notClosed) {
                cases.add(new Injected(number, place, fault, 0));
                if (asked.duplicates > 0) {
                    cases.add(new Injected(number, place, fault, asked.duplicates));
                }
            }
        }
        Collections.shuffle(cases, new Random(asked.seed + number));
        return cases;
    }

    private List<Wrong> run(List<Injected> cases) throws Exception {
        List<Wrong> wrong = new ArrayList<>();
        progress.beginPart(cases.size());
        boolean ran = false;
        for (Injected one : cases) {
            if (progress.mayRun()) {
                wrong.addAll(run(one));
                ran = true;
            }
        }
        if (ran) {
            wrong.addAll(healthy(Where.of(cases.get(0).number(), cases.get(0).place(), "after its faults", "")));
        }
        return wrong;
    }

    /** Leftovers of a fault may block other keys. */
    private List<Wrong> healthy(Where where) throws Exception {
        String key = newKey();
        Verdict verdict = new Verdict();
        look(verdict, key, List.of(ask(key)));
        verdict.requireSuccess();
        return verdict.wrong(where, key);
    }

    private List<Wrong> run(Injected one) throws Exception {
        String key = newKey();
        Verdict verdict = new Verdict();
        List<Answer> answers =
                one.duplicates() == 0 ? alone(one, key) : together(one.fault(), one.number(), key, Duration.ZERO);
        progress.struck(driver.struck() != null);
        look(verdict, key, answers);
        return retried(verdict, key, one.where(driver.struck()), false);
    }

    private List<Answer> alone(Injected one, String key) {
        driver.arm(one.fault(), one.number());
        Answer answer = ask(key);
        driver.disarm();
        return List.of(answer);
    }

    private List<Wrong> late(Pause pause) throws Exception {
        String key = newKey();
        Verdict verdict = new Verdict();
        look(verdict, key, List.of(ask(key)));
        pause.pass();
        return retried(verdict, key, Where.LATE, false);
    }

    /** The last COMMIT succeeds, but the database cannot be queried about it until the call is over. */
    private List<Wrong> unknown(List<Place> places) throws Exception {
        List<Wrong> wrong = new ArrayList<>();
        int number = places.size();
        while (number > 0 && !places.get(number - 1).commits()) {
            number--;
        }
        if (number > 0) {
            String key = newKey();
            Verdict verdict = new Verdict();
            driver.armAway(Fault.LOST_AFTER, number);
            Answer answer = ask(key);
            driver.disarm();
            look(verdict, key, List.of(answer));
            String fault = "connection lost after it was done, and the database stays away";
            wrong.addAll(retried(verdict, key, Where.of(number, places.get(number - 1), fault, ""), false));
        }
        return wrong;
    }

    /**
     * Duplicates run while a commit is held back. Only a constraint or a lock keeps them from having their own effect.
     */
    private List<Wrong> overtaken(List<Place> places) throws Exception {
        List<Wrong> wrong = new ArrayList<>();
        for (int number = 1; number <= places.size(); number++) {
            Place place = places.get(number - 1);
            if (place.call().mayCommit()) {
                String key = newKey();
                Verdict verdict = new Verdict();
                look(verdict, key, together(null, number, key, HELD_BACK));
                Where where = Where.of(number, place, "held back for its duplicates", "");
                wrong.addAll(retried(verdict, key, where, false));
            }
        }
        return wrong;
    }

    /** Duplicates start when the call is reached, which then waits for them for the given time. */
    private List<Answer> together(@Nullable Fault fault, int number, String key, Duration wait) throws Exception {
        CountDownLatch struck = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(asked.duplicates);
        List<Future<Answer>> duplicates = Stream.generate(() -> threads.submit(() -> {
                    struck.await();
                    Answer answer = ask(key);
                    ended.countDown();
                    return answer;
                }))
                .limit(asked.duplicates)
                .toList();
        driver.arm(
                fault,
                number,
                () -> {
                    struck.countDown();
                    await(ended, wait);
                },
                FailingDriver::nothing);
        List<Answer> answers = new ArrayList<>(List.of(ask(key)));
        driver.disarm();
        struck.countDown();
        for (Future<Answer> duplicate : duplicates) {
            answers.add(duplicate.get(BOUND_OF_A_CALL_S, TimeUnit.SECONDS));
        }
        return answers;
    }

    private static void await(CountDownLatch ended, Duration wait) {
        try {
            boolean unused = ended.await(wait.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<Wrong> run(KilledProcesses killed) throws Exception {
        List<Wrong> wrong = new ArrayList<>();
        progress.beginPart(killed.kills().size());
        try (killed) {
            for (KilledProcesses.Kill kill : killed.kills()) {
                if (progress.mayRun()) {
                    String key = newKey();
                    killed.kill(kill, newKey(), key);
                    Verdict verdict = new Verdict();
                    look(verdict, key, List.of());
                    wrong.addAll(retried(verdict, key, kill.where(), true));
                }
            }
        }
        return wrong;
    }

    /** Retries until there is an outcome, and then once more. */
    private List<Wrong> retried(Verdict verdict, String key, Where where, boolean mayWait) throws Exception {
        for (int i = 0; i < 2; i++) {
            long end = System.nanoTime() + RETURNS.toNanos();
            Answer answer = ask(key);
            while (Verdict.isOpen(answer) && System.nanoTime() < end) {
                LockSupport.parkNanos(1_000_000);
                answer = ask(key);
            }
            look(verdict, key, List.of(answer));
            if (Verdict.isOpen(answer)) {
                break;
            }
        }
        verdict.end(mayWait);
        done.add(new Done(where, key, verdict.effects()));
        return verdict.wrong(where, key);
    }

    private void look(Verdict verdict, String key, List<Answer> answers) throws Exception {
        driver.pool().awaitBack(RETURNS);
        verdict.complain(driver.pool().complaints());
        verdict.calls(answers, Counted.of(asked.effects, key));
    }

    /** Checks for effects of tasks that have outlived their calls. */
    private List<Wrong> afterwards() throws Exception {
        List<Wrong> wrong = new ArrayList<>();
        for (Done one : done) {
            Counted now = Counted.of(asked.effects, one.key());
            if (!now.equals(one.effects())) {
                String seen = "Effects: " + one.effects() + ", then " + now;
                wrong.add(new Wrong(one.where(), "effect after the end of all calls", one.key(), seen));
            }
        }
        progress.end();
        return wrong;
    }

    private Answer ask(String key) {
        Answer answer = Answer.to(() -> call.call(key));
        // It may have been set by the fault and belongs to this case.
        Thread.interrupted();
        return answer;
    }

    private String newKey() {
        lastKey++;
        return keys + lastKey;
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
