package io.counterpoint.idempotency.torture;

import io.counterpoint.idempotency.testing.Cut;
import io.counterpoint.idempotency.testing.DatabaseServer;
import io.counterpoint.idempotency.testing.PostgresServer;
import io.counterpoint.idempotency.testing.StatementProxy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jspecify.annotations.Nullable;

/** Injects faults of several kinds concurrently, each on its own thread and from its own random sequence. */
final class Nemesis {

    private static final int SHORTEST_STOP = 350;
    private static final int LONGEST_STOP = 1_500;
    private static final int LONGEST_LOCK = 1_300;
    private static final long LONGEST_PEACE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int LAST_IS_KILLED_IN = 100;

    /** Longer than the limit for a statement without a reply. */
    private static final int LONGEST_SILENCE = 2_500;

    private static final int LONGEST_WAIT_FOR_CUT = 500;
    private static final int MOST_MESSAGES = 60;

    private final Environment stage;
    private final Mode mode;
    private final FaultLog faults;
    private final BrokenWaits brokenWaits;
    private final Workers crew;
    private final CountDownLatch over = new CountDownLatch(1);
    private final List<Thread> threads = new ArrayList<>();
    private volatile @Nullable Throwable failed;

    Nemesis(Environment stage, Mode mode, FaultLog faults, BrokenWaits brokenWaits, Workers crew) {
        this.stage = stage;
        this.brokenWaits = brokenWaits;
        this.mode = mode;
        this.faults = faults;
        this.crew = crew;
    }

    /** The workers that may be harmed; the provider has the slot after theirs. */
    interface Workers {
        int slots();

        WorkerProcess worker(int slot);

        /** Kills the worker in a slot and replaces it. Returns whether there was anything to kill. */
        boolean replace(int slot) throws IOException, InterruptedException;

        long newestKey();
    }

    void begin(Rates rates, long seed) {
        SplittableRandom seeds = new SplittableRandom(seed);
        every(rates.kill(), seeds.split(), paced(rates.keysPerKill(), this::killWorker));
        every(rates.stop(), seeds.split(), this::stopWorker);
        every(rates.terminate(), seeds.split(), this::terminateBackend);
        every(rates.crash(), seeds.split(), paced(rates.keysPerCrash(), this::crashServer));
        every(rates.lock(), seeds.split(), this::lockRecord);
        for (int slot = 0; slot < crew.slots(); slot++) {
            int mine = slot;
            every(rates.cut(), seeds.split(), random -> cut(random, mine));
        }
        every(rates.failover(), seeds.split(), failovers());
        every(mode.hasFollowUp() ? rates.lock() * 4 : 0, seeds.split(), this::harmProvider);
    }

    private Harm failovers() {
        Failovers failovers = new Failovers(stage, faults, brokenWaits, over);
        return failovers::next;
    }

    /** Whether some faults can no longer be injected; {@link #end} throws the reason. */
    boolean hasFailed() {
        return failed != null;
    }

    /** Stops, and undoes every fault that does not heal by itself. */
    void end() throws InterruptedException {
        over.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        Throwable thrown = failed;
        if (thrown != null) {
            throw new IllegalStateException("the nemesis failed: " + thrown, thrown);
        }
    }

    private interface Harm {
        void act(SplittableRandom random) throws IOException, InterruptedException;
    }

    /**
     * Waits for this many new keys between faults: on a busy machine, processes and servers would otherwise spend all
     * their time starting. After a while it goes ahead regardless, so that slow calls do not prevent faults.
     */
    private Harm paced(int keys, Harm harm) {
        long[] last = {crew.newestKey(), System.nanoTime()};
        return random -> {
            long now = System.nanoTime();
            if (crew.newestKey() - last[0] >= keys || now - last[1] > LONGEST_PEACE_NANOS) {
                last[0] = crew.newestKey();
                last[1] = now;
                harm.act(random);
            }
        };
    }

    private void every(int millis, SplittableRandom random, Harm harm) {
        if (millis == 0) {
            return;
        }
        Thread thread = new Thread(
                () -> {
                    try {
                        while (!over.await(random.nextInt(millis / 2, millis * 3 / 2), TimeUnit.MILLISECONDS)) {
                            harm.act(random);
                        }
                    } catch (IOException | InterruptedException | RuntimeException thrown) {
                        failed = thrown;
                    }
                },
                "nemesis " + threads.size());
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    /** Waits for a while, or until the end. */
    private void pause(long millis) throws InterruptedException {
        boolean unused = over.await(millis, TimeUnit.MILLISECONDS);
    }

    private void killWorker(SplittableRandom random) throws IOException, InterruptedException {
        int last = crew.slots() - 1;
        // One worker lives long, so that a call that takes too long is noticed.
        int slot = random.nextInt(LAST_IS_KILLED_IN) == 0 ? last : random.nextInt(last);
        kill(slot, FaultType.WORKER_KILLED);
    }

    private void kill(int slot, FaultType fault) throws IOException, InterruptedException {
        WorkerProcess worker = crew.worker(slot);
        if (worker.isReady() && crew.replace(slot)) {
            faults.add(fault, worker.id());
        }
    }

    private void stopWorker(SplittableRandom random) throws IOException, InterruptedException {
        stop(random, random.nextInt(crew.slots()), FaultType.WORKER_STOPPED);
    }

    private void stop(SplittableRandom random, int slot, FaultType fault) throws IOException, InterruptedException {
        WorkerProcess worker = crew.worker(slot);
        if (worker.isReady()) {
            long millis = random.nextInt(SHORTEST_STOP, LONGEST_STOP);
            if (worker.stopFor(millis)) {
                faults.add(fault, worker.id() + " for " + millis + " ms");
            }
        }
    }

    private void harmProvider(SplittableRandom random) throws IOException, InterruptedException {
        int dice = random.nextInt(3);
        if (dice == 0) {
            kill(Segment.PROVIDER, FaultType.PROVIDER_KILLED);
        } else if (dice == 1) {
            stop(random, Segment.PROVIDER, FaultType.PROVIDER_STOPPED);
        } else {
            crew.worker(Segment.PROVIDER).send(Provider.CUT);
            faults.add(FaultType.PROVIDER_CUT, crew.worker(Segment.PROVIDER).id());
        }
    }

    private void terminateBackend(SplittableRandom random) {
        Jdbi jdbi = hitsEffects(random) ? stage.effectsJdbi() : stage.recordsJdbi();
        unlessServerIsDown(() -> {
            List<Long> backends = stage.engine().backends(jdbi);
            if (backends.isEmpty()) {
                return false;
            }
            long backend = backends.get(random.nextInt(backends.size()));
            boolean terminated = stage.engine().terminate(jdbi, backend);
            if (terminated) {
                faults.add(FaultType.BACKEND_TERMINATED, "backend " + backend);
            }
            return terminated;
        });
    }

    private boolean hitsEffects(SplittableRandom random) {
        return mode.hasEffectsElsewhere() && random.nextBoolean();
    }

    private void crashServer(SplittableRandom random) {
        boolean ofEffects = hitsEffects(random);
        DatabaseServer<?> server = ofEffects ? stage.effects() : stage.records();
        String name = ofEffects ? "server of the effects" : "server of the records";
        if (server instanceof PostgresServer postgres && random.nextBoolean()) {
            postgres.stopImmediately();
            faults.add(FaultType.SERVER_STOPPED, name);
        } else {
            server.kill();
            faults.add(FaultType.SERVER_KILLED, name);
        }
        server.restart();
    }

    /** Holds a record's lock for a while, as an unrelated client. */
    private void lockRecord(SplittableRandom random) {
        String key = Key.of(mode, stage.engine(), Math.max(0, crew.newestKey() - random.nextInt(40)));
        int millis = random.nextInt(LONGEST_LOCK);
        unlessServerIsDown(() -> stage.recordsJdbi().inTransaction(handle -> {
            boolean locked = handle.select(
                            "SELECT 1 FROM idempotency_record WHERE key_value = ? FOR UPDATE SKIP LOCKED", key)
                    .mapTo(Integer.class)
                    .findFirst()
                    .isPresent();
            if (locked) {
                faults.add(FaultType.RECORD_LOCKED, key + " for " + millis + " ms");
                pause(millis);
            }
            return locked;
        }));
    }

    private interface Asking {
        boolean ask() throws Exception;
    }

    private static void unlessServerIsDown(Asking asking) {
        try {
            boolean unused = asking.ask();
        } catch (JdbiException serverIsDown) {
            // The server is already down, which is fault enough.
        } catch (RuntimeException thrown) {
            throw thrown;
        } catch (Exception thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    private void cut(SplittableRandom random, int slot) throws InterruptedException {
        if (!crew.worker(slot).isReady()) {
            return;
        }
        StatementProxy commits = stage.toEffects(mode, slot);
        StatementProxy any = hitsEffects(random) ? commits : stage.toRecords(slot);
        String whom = "worker " + crew.worker(slot).id();
        int dice = random.nextInt(100);
        if (dice < 30) {
            commits.onNextStatement(Nemesis::isCommit, Cut.BEFORE_SEND);
            await(commits, FaultType.COMMIT_DROPPED, whom);
        } else if (dice < 60) {
            commits.swallowNextCommitAnswer();
            await(commits, FaultType.COMMIT_ANSWER_LOST, whom);
        } else if (dice < 82) {
            commits.onNextStatement(Nemesis::isCommit, Cut.HOLD);
            if (hasCut(commits)) {
                int millis = random.nextInt(4) == 0 ? random.nextInt(LONGEST_SILENCE) : random.nextInt(400);
                faults.add(FaultType.COMMIT_HELD, whom + " for " + millis + " ms");
                pause(millis);
            }
            commits.heal();
        } else if (dice < 89) {
            StatementProxy records = stage.toRecords(slot);
            records.onNextStatement(sql -> sql.contains("idempotency_record"), Cut.AFTER_ANSWER);
            await(records, FaultType.STEP_ANSWER_LOST, whom);
        } else if (dice < 96) {
            any.cutAfterMessages(random.nextInt(MOST_MESSAGES));
            await(any, FaultType.CUT_AFTER_MESSAGES, whom);
        } else if (dice < 98) {
            if (any.resetAll() > 0) {
                faults.add(FaultType.CONNECTIONS_RESET, whom);
            }
        } else {
            int millis = random.nextInt(LONGEST_SILENCE);
            any.blackHole();
            faults.add(FaultType.BLACK_HOLE, whom + " for " + millis + " ms");
            pause(millis);
            any.heal();
        }
    }

    private static boolean isCommit(String sql) {
        return sql.strip().equalsIgnoreCase("commit") || sql.startsWith("BEGIN NOT ATOMIC RELEASE SAVEPOINT");
    }

    private void await(StatementProxy proxy, FaultType fault, String whom) throws InterruptedException {
        if (hasCut(proxy)) {
            faults.add(fault, whom);
        } else {
            proxy.heal();
        }
    }

    /** Whether the armed cut happens soon. A worker that is stopped or starting sends nothing. */
    private boolean hasCut(StatementProxy proxy) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LONGEST_WAIT_FOR_CUT);
        while (!proxy.hasCut() && System.nanoTime() < deadline) {
            if (over.await(2, TimeUnit.MILLISECONDS)) {
                break;
            }
        }
        return proxy.hasCut();
    }
}
