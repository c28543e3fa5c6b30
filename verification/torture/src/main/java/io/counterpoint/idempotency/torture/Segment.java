package io.counterpoint.idempotency.torture;

import io.counterpoint.idempotency.testing.Ports;
import io.counterpoint.idempotency.torture.Ledger.SlowCall;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A period of torture in one mode. Workers make calls under faults; then, without faults, a new worker calls every key.
 */
final class Segment {

    /** The average number of calls per key before its last call. */
    private static final long CALLS_PER_KEY = 9;

    private static final int FIRST_KEYS = 40;
    private static final int LOOK_EVERY_MILLIS = 100;

    private static final List<Slot> SLOTS =
            List.of(new Slot(6, 6, false), new Slot(6, 6, true), new Slot(3, 1, false), new Slot(8, 4, true));

    /** The slot of the provider. */
    static final int PROVIDER = SLOTS.size();

    private final Conductor conductor;
    private final Mode mode;
    private final Environment stage;
    private final Optional<Mutant> mutant;
    private final FaultLog faults;
    private final Ledger ledger;
    private final long seed;
    private final AtomicLong newestKey = new AtomicLong(FIRST_KEYS);
    private final AtomicReferenceArray<WorkerProcess> slots = new AtomicReferenceArray<>(PROVIDER + 1);
    private final Queue<WorkerProcess> workers = new ConcurrentLinkedQueue<>();
    private final int providerPort;
    private final Queue<String> ids = new ConcurrentLinkedQueue<>();
    private final AtomicLong started = new AtomicLong();

    Segment(Conductor conductor, Mode mode, Optional<Mutant> mutant, FaultLog faults) {
        this.conductor = conductor;
        this.mode = mode;
        this.stage = conductor.stage(mode);
        this.mutant = mutant;
        this.faults = faults;
        this.ledger = new Ledger();
        this.providerPort = mode.hasFollowUp() ? Ports.take() : 0;
        this.seed = conductor.seed() * 1_000_003 + conductor.nextSegment();
    }

    /** The threads of a worker, and the connections that they share. */
    private record Slot(int threads, int connections, boolean virtual) {}

    static int slots() {
        return SLOTS.size();
    }

    /** What a segment needs from its run. */
    interface Conductor {
        /** The environment for a mode. */
        Environment stage(Mode mode);

        Fleet fleet();

        Path folder();

        long seed();

        /** A number that is unique among the segments of the run. */
        long nextSegment();

        /** A number that is unique among the processes of the run. */
        long nextProcess();

        /** Called often, to report the progress. */
        void progress(Mode mode, Optional<Mutant> mutant, Ledger ledger);

        /** Whether the user wants to stop. */
        boolean isStopped();
    }

    /**
     * The result of a segment.
     *
     * @param answered all calls that returned
     * @param unanswered calls whose process was killed
     * @param underFaults the answered calls without the final ones, which are made without faults
     * @param longest the longest call, without the time during which its process was stopped
     * @param found the contents of the databases, in numbers
     */
    record Result(
            Mode mode,
            long keys,
            long answered,
            long unanswered,
            long underFaults,
            Map<Answer, Long> answers,
            Map<FaultType, Long> faults,
            Duration longest,
            Duration time,
            String found,
            Verdict verdict) {}

    Result run(Rates rates, Predicate<Ledger> enough) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        Map<FaultType, Long> before = faults.counts();
        faults.heading(mutant.map(wrong -> mode + ", mutant: " + wrong).orElse(mode.toString()));
        stage.clear(mode);
        underFaults(rates, enough);
        stage.heal();
        letEnd();
        stage.awaitCalm();
        long underFaults = ledger.answered();
        askEveryKey();
        Checker.Findings findings = stage.findings(mode);
        if (mode.hasFollowUp()) {
            findings = findings.following(Provider.decisions(decisions()));
        }
        Verdict verdict = Checker.check(mode, ledger, findings);
        forgetHistories(verdict);
        Duration longest = ledger.slowCalls().stream()
                .map(SlowCall::net)
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
        return new Result(
                mode,
                ledger.stories().size(),
                ledger.answered(),
                ledger.unanswered(),
                underFaults,
                ledger.answers(),
                FaultLog.difference(faults.counts(), before),
                longest,
                Duration.ofNanos(System.nanoTime() - begin),
                findings.toString(),
                verdict);
    }

    private void underFaults(Rates rates, Predicate<Ledger> enough) throws IOException, InterruptedException {
        for (int slot = 0; slot < rates.workers(); slot++) {
            slots.set(slot, start(slot));
        }
        startProvider(seed + ids.size() + 1);
        awaitReady();
        // If replays are durable, the ledger excuses none.
        BrokenWaits brokenWaits = mode.hasDurableReplays() ? new BrokenWaits() : ledger.brokenWaits();
        Nemesis nemesis = new Nemesis(stage, mode, faults, brokenWaits, new Slots(rates.workers()));
        nemesis.begin(rates, seed);
        try {
            while (!enough.test(ledger) && !conductor.isStopped() && !nemesis.hasFailed()) {
                Thread.sleep(LOOK_EVERY_MILLIS);
                look();
                nameNewestKey();
            }
        } finally {
            nemesis.end();
        }
    }

    private void awaitReady() throws IOException, InterruptedException {
        while (!workers.stream().allMatch(WorkerProcess::isReady)) {
            Thread.sleep(LOOK_EVERY_MILLIS / 4);
            look();
        }
    }

    /** The provider counts as a worker, so it is followed and stopped with them. */
    private void startProvider(long seed) throws IOException {
        if (!mode.hasFollowUp()) {
            return;
        }
        String id = conductor.nextProcess() + "-provider";
        ids.add(id);
        List<String> arguments = Stream.of(providerPort, decisions(), history(id), seed)
                .map(Object::toString)
                .toList();
        WorkerProcess process =
                conductor.fleet().start(id, Provider.class, arguments, history(id), ledger.listener(id, faults, false));
        workers.add(process);
        slots.set(PROVIDER, process);
    }

    private Path decisions() {
        return conductor.folder().resolve("provider-" + providerPort + ".tsv");
    }

    private void look() throws IOException {
        for (WorkerProcess worker : workers) {
            worker.follow();
        }
        workers.removeIf(WorkerProcess::isEnded);
        conductor.progress(mode, mutant, ledger);
    }

    /** Only while workers make calls: keys that nobody has called need no final call. */
    private void nameNewestKey() {
        newestKey.set(FIRST_KEYS + ledger.answered() / CALLS_PER_KEY);
        workers.forEach(worker -> worker.send(Worker.NEWEST + newestKey));
    }

    private void letEnd() throws IOException, InterruptedException {
        workers.forEach(worker -> worker.send(Worker.STOP));
        Map<WorkerProcess, Standstill> watches = new HashMap<>();
        while (!workers.isEmpty()) {
            Thread.sleep(LOOK_EVERY_MILLIS / 4);
            look();
            for (WorkerProcess worker : workers) {
                Standstill watch = watches.computeIfAbsent(worker, added -> new Standstill(longestWait()));
                if (watch.isReached(worker.beats(), 0, System.nanoTime())) {
                    boolean unused = worker.awaitEnd(1);
                }
            }
        }
    }

    /** After this much of its own running time, each call of a process has returned, or never will. */
    private Duration longestWait() {
        return mode.deadline().plusSeconds(10);
    }

    private void askEveryKey() throws IOException, InterruptedException {
        startProvider(0);
        awaitReady();
        WorkerOptions orders =
                orders("last", new Slot(8, 8, false), stage.recordsUrl(), stage.effectsUrl(mode), newestKey.get());
        WorkerProcess asker = conductor.fleet().start(orders, ledger.listener(orders.id(), faults, true));
        Standstill watch = new Standstill(longestWait());
        while (!asker.isEnded()) {
            Thread.sleep(LOOK_EVERY_MILLIS / 4);
            asker.follow();
            conductor.progress(mode, mutant, ledger);
            if (watch.isReached(asker.beats(), ledger.answered(), System.nanoTime())) {
                // Whatever it is waiting for counts as a call that never returned.
                boolean unused = asker.awaitEnd(1);
            }
        }
        letEnd();
    }

    private WorkerProcess start(int slot) throws IOException {
        WorkerOptions orders = orders(
                Integer.toString(slot),
                SLOTS.get(slot),
                stage.toRecords(slot).jdbcUrl() + settings(slot),
                stage.toEffects(mode, slot).jdbcUrl() + settings(slot),
                -1);
        WorkerProcess worker = conductor.fleet().start(orders, ledger.listener(orders.id(), faults, false));
        workers.add(worker);
        return worker;
    }

    /** In some slots, sessions do not wait for the standby by default, so that the library has to. */
    private String settings(int slot) {
        return mode.isReplicated() && slot % 2 == 1 ? "&options=-c%20synchronous_commit=local" : "";
    }

    private WorkerOptions orders(String name, Slot slot, String records, String effects, long lastKey) {
        String id = conductor.nextProcess() + "-" + name;
        ids.add(id);
        return new WorkerOptions(
                id,
                mode,
                mutant,
                seed * 1_000_003 + started.incrementAndGet(),
                slot.threads(),
                slot.connections(),
                slot.virtual() && Fleet.hasVirtualThreads(),
                stage.isolation(),
                records,
                mode.hasFollowUp() ? "http://127.0.0.1:" + providerPort + "/" : effects,
                history(id),
                lastKey);
    }

    private Path history(String id) {
        return conductor.folder().resolve("history-" + id + ".tsv");
    }

    /** Deletes the histories, which are only needed as evidence of violations. */
    private void forgetHistories(Verdict verdict) throws IOException {
        if (verdict.total() > 0 && mutant.isEmpty()) {
            return;
        }
        for (String id : ids) {
            Files.deleteIfExists(history(id));
            Files.deleteIfExists(Fleet.errors(conductor.folder(), id));
        }
    }

    private final class Slots implements Nemesis.Workers {
        private final int used;

        Slots(int used) {
            this.used = used;
        }

        @Override
        public int slots() {
            return used;
        }

        @Override
        public WorkerProcess worker(int slot) {
            return slots.get(slot);
        }

        @Override
        public boolean replace(int slot) throws IOException {
            boolean killed = slots.get(slot).kill();
            if (slot == PROVIDER) {
                startProvider(seed + ids.size() + 1);
            } else {
                slots.set(slot, start(slot));
            }
            return killed;
        }

        @Override
        public long newestKey() {
            return newestKey.get();
        }
    }
}
