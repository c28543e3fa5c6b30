package io.counterpoint.idempotency.torture;

import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.torture.UseCase.CallResult;
import io.counterpoint.idempotency.torture.WorkStep.WorkBehaviour;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jdbi.v3.core.Jdbi;

/**
 * Callers of every protocol at once. Each protocol has a schema, a pool and keys of its own; two callers ask for each key,
 * and each of them asks until it has its last answer, as a client does.
 */
final class ClusterCallers implements AutoCloseable {

    private static final int THREADS_OF_A_MODE = 2;
    private static final int CALLERS_OF_A_KEY = 2;

    /** An effect elsewhere may never come to light: nobody asks for it for ever. */
    private static final int TRIES_OF_AN_EXTERNAL_KEY = 20;

    private static final int LAST_TRIES = 200;
    private static final int SHORTEST_PAUSE = 20;
    private static final int LONGEST_PAUSE = 100;
    private static final Duration BOUND = Duration.ofMinutes(5);

    private final List<Lane> lanes = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private final Semaphore answeredKeys = new Semaphore(0);
    private final AtomicReference<Throwable> failed = new AtomicReference<>();
    private final FaultLog faults;
    private final Optional<Mutant> mutant;
    private long lastExecuted = System.nanoTime();
    private long outage;
    private long slowest;

    /**
     * Callers that have not begun.
     *
     * @param records where records are; in all modes but the external ones, effects too
     * @param effects where the effects of external modes are
     * @param mutant what is wrong with the library
     */
    ClusterCallers(String records, String effects, FaultLog faults, Optional<Mutant> mutant) {
        this.faults = faults;
        this.mutant = mutant;
        for (Mode mode : Mode.values()) {
            // There is no provider beside a cluster.
            if (!mode.isReplicated() && !mode.hasFollowUp()) {
                lanes.add(new Lane(mode, records, effects));
            }
        }
    }

    void begin(long seed) {
        SplittableRandom seeds = new SplittableRandom(seed);
        for (Lane lane : lanes) {
            for (int i = 0; i < THREADS_OF_A_MODE; i++) {
                SplittableRandom random = seeds.split();
                start(lane + " " + i, () -> lane.askKeys(random));
            }
        }
    }

    private interface Asking {
        void run() throws InterruptedException;
    }

    private void start(String name, Asking asking) {
        Thread thread = new Thread(
                () -> {
                    try {
                        asking.run();
                    } catch (Throwable thrown) {
                        failed.compareAndSet(null, thrown);
                    }
                },
                name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    /** Returns when so many more keys are answered. */
    void awaitKeys(int keys) {
        int unused = answeredKeys.drainPermits();
        try {
            if (!answeredKeys.tryAcquire(keys, BOUND.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("fewer than " + keys + " keys were answered within " + BOUND);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        throwIfFailed();
    }

    private void throwIfFailed() {
        Throwable thrown = failed.get();
        if (thrown != null) {
            throw new IllegalStateException("a caller failed: " + thrown, thrown);
        }
    }

    /** From now on outages and slow keys count for another round. */
    synchronized void beginRound() {
        lastExecuted = System.nanoTime();
        outage = 0;
        slowest = 0;
    }

    /**
     * What a round cost the callers.
     *
     * @param outage the longest time in which no protocol executed anything
     * @param slowest the longest time from a caller's first question for a key to its last answer
     */
    record Round(Duration outage, Duration slowest) {}

    synchronized Round endRound() {
        return new Round(Duration.ofNanos(outage), Duration.ofNanos(slowest));
    }

    private synchronized void executed() {
        long now = System.nanoTime();
        outage = Math.max(outage, now - lastExecuted);
        lastExecuted = now;
    }

    private synchronized void answered(long nanos) {
        slowest = Math.max(slowest, nanos);
    }

    /** Lets callers end, asks for every key once more, and compares all answers with the databases. */
    Verdict endAndCheck() throws InterruptedException {
        over.countDown();
        join();
        lanes.forEach(lane -> start("last of " + lane, lane::askEveryKey));
        join();
        throwIfFailed();
        Verdict verdict = new Verdict();
        lanes.forEach(lane -> verdict.add(lane.check()));
        return verdict;
    }

    private void join() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
    }

    long keys() {
        return lanes.stream().mapToLong(lane -> lane.ledger.stories().size()).sum();
    }

    long calls() {
        return lanes.stream().mapToLong(lane -> lane.ledger.answered()).sum();
    }

    long calls(Answer... answers) {
        return lanes.stream()
                .mapToLong(lane -> Arrays.stream(answers)
                        .mapToLong(answer -> lane.ledger.answers().getOrDefault(answer, 0L))
                        .sum())
                .sum();
    }

    @Override
    public void close() throws InterruptedException {
        over.countDown();
        lanes.forEach(Lane::close);
        join();
    }

    /** One protocol, its tables and its keys. */
    private final class Lane {
        private final Mode mode;
        private final HikariDataSource records;
        private final HikariDataSource effects;
        private final UseCase useCase;
        private final Ledger ledger = new Ledger();
        private final AtomicLong taken = new AtomicLong();
        private Ledger.Listener listener;
        private long calls;

        Lane(Mode mode, String recordsUrl, String effectsUrl) {
            this.mode = mode;
            this.records = pool(recordsUrl);
            Jdbi jdbi = Jdbi.create(records);
            JdbiIdempotencyStore unused = JdbiIdempotencyStore.on(jdbi).createTableIfMissing();
            Environment.createTables(jdbi);
            if (mode.isExternal()) {
                this.effects = pool(effectsUrl);
                Environment.createTables(Jdbi.create(effects));
            } else {
                this.effects = records;
            }
            this.useCase = new UseCase(mode, mutant, records, schema(), effects, effectsUrl);
            this.listener = ledger.listener(mode.option(), faults, false);
        }

        private String schema() {
            return mode.name().toLowerCase(Locale.ROOT);
        }

        private HikariDataSource pool(String url) {
            String schema = schema();
            Jdbi.create(url).useHandle(handle -> {
                handle.execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE");
                handle.execute("CREATE SCHEMA " + schema);
            });
            return Worker.pool(url + "&currentSchema=" + schema, THREADS_OF_A_MODE, Isolation.READ_COMMITTED);
        }

        void askKeys(SplittableRandom random) throws InterruptedException {
            while (over.getCount() > 0) {
                String key = key(taken.getAndIncrement() / CALLERS_OF_A_KEY);
                long begin = System.nanoTime();
                int tries = mode.isExternal() ? TRIES_OF_AN_EXTERNAL_KEY : Integer.MAX_VALUE;
                Answer answer = ask(key, random);
                while (answer.isOpen() && --tries > 0 && !isOverAfterAPause(random)) {
                    answer = ask(key, random);
                }
                if (!answer.isOpen()) {
                    answered(System.nanoTime() - begin);
                }
                answeredKeys.release();
            }
        }

        private boolean isOverAfterAPause(SplittableRandom random) throws InterruptedException {
            return over.await(random.nextInt(SHORTEST_PAUSE, LONGEST_PAUSE), TimeUnit.MILLISECONDS);
        }

        /** Without {@link Key}, since none of these is purged. */
        private String key(long number) {
            return "k" + number;
        }

        private Answer ask(String key, SplittableRandom random) {
            return ask(key, WorkStep.conduct(random, key), random.nextInt((int) Mode.WORK.toMillis()));
        }

        private Answer ask(String key, WorkBehaviour conduct, int pause) {
            long call = started(key);
            WorkStep script = new WorkStep(key, WorkStep.origin("a", mode.option() + "." + call), conduct, pause);
            long begin = System.nanoTime();
            CallResult result = useCase.call("a", false, script);
            ended(call, System.nanoTime() - begin, result);
            if (result.answer() == Answer.EXECUTED) {
                executed();
            }
            return result.answer();
        }

        private synchronized long started(String key) {
            listener.started(++calls, System.currentTimeMillis(), key, "a", mode.deadline());
            return calls;
        }

        private synchronized void ended(long call, long nanos, CallResult result) {
            listener.ended(call, System.currentTimeMillis(), nanos / 1_000, result.answer(), result.detail());
        }

        void askEveryKey() throws InterruptedException {
            listener = ledger.listener(mode.option(), faults, true);
            for (long number = 0; number <= taken.get() / CALLERS_OF_A_KEY; number++) {
                int tries = mode.isExternal() ? 2 : LAST_TRIES;
                while (ask(key(number), WorkBehaviour.PLAIN, 0).isOpen() && --tries > 0) {
                    TimeUnit.MILLISECONDS.sleep(LONGEST_PAUSE);
                }
            }
        }

        Verdict check() {
            return Checker.check(mode, ledger, Environment.findings(Jdbi.create(records), Jdbi.create(effects)));
        }

        void close() {
            records.close();
            effects.close();
        }

        @Override
        public String toString() {
            return mode.toString();
        }
    }
}
