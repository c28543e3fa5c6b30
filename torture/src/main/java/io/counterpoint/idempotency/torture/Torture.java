package io.counterpoint.idempotency.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/** The program: conducts a run, mode after mode and mutant after mutant, and tells what came of it. */
public final class Torture {

    private static final int PASSED = 0;
    private static final int NOT_PASSED = 1;
    private static final int COULD_NOT_RUN = 2;

    /** The part of the time that the mutants get. */
    private static final double PART_OF_MUTANTS = 0.5;

    private static final long CALLS_OF_A_MUTANT = 400;
    private static final long LONGEST_MILLIS_OF_A_MUTANT = 8_000;

    /** So often is a mutant looked at anew before it counts as having got away. */
    private static final int TRIALS = 12;

    /** The longest that a mode may take for its part of the quantities. */
    private static final Duration LONGEST_MODE = Duration.ofMinutes(8);

    /** What a segment needs besides the time under faults: processes that start, calm, the last questions. */
    private static final long MILLIS_AROUND = 1_800;

    private static final long SHORTEST_MILLIS = 1_500;

    private static final long LONGEST_MILLIS_OF_A_FAILOVER = 15_000;

    private final Options options;
    private final PrintStream out;
    private final AtomicBoolean stopped;
    private final long seed;

    private Torture(Options options, PrintStream out, AtomicBoolean stopped) {
        this.options = options;
        this.out = out;
        this.stopped = stopped;
        this.seed = options.seed.orElse(System.currentTimeMillis() / 1_000);
    }

    /** Runs and exits. On Ctrl-C the segment under way is checked, and the rest is left out. */
    public static void main(String[] arguments) {
        AtomicBoolean stopped = new AtomicBoolean();
        CountDownLatch done = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            stopped.set(true);
            try {
                if (!done.await(5, TimeUnit.SECONDS)) {
                    System.err.println("torture: Stopped in the middle.");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
        int exitCode;
        try {
            exitCode = run(arguments, System.out, System.err, stopped);
        } finally {
            done.countDown();
        }
        System.exit(exitCode);
    }

    private static int run(String[] arguments, PrintStream out, PrintStream err, AtomicBoolean stopped) {
        try {
            Options options = Options.parse(arguments);
            if (options.asksForHelp()) {
                out.print(options.usage());
                return PASSED;
            }
            if (PostgresServer.isExternal()) {
                throw new CannotRun(PostgresServer.URL_VARIABLE + " names a server that cannot be killed: unset it.");
            }
            return new Torture(options, out, stopped).run(String.join(" ", arguments)) ? PASSED : NOT_PASSED;
        } catch (CannotRun e) {
            err.println("torture: " + e.getMessage() + " See --help.");
        } catch (IOException | RuntimeException e) {
            if (!stopped.get()) {
                err.println("torture: Gave up.");
                e.printStackTrace(err);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return COULD_NOT_RUN;
    }

    private boolean run(String command) throws IOException, InterruptedException {
        out.println("Torture with seed " + seed + ", " + (options.full ? "in full" : "about " + options.seconds + " s")
                + (Fleet.hasVirtualThreads() ? "." : ". This Java has no virtual threads: platform threads only."));
        Files.createDirectories(options.out);
        Path folder = Files.createTempDirectory(options.out, "run-");
        Report report = new Report(out);
        Run run;
        try (Environments stages = new Environments();
                Fleet fleet = new Fleet(folder)) {
            run = new Performance(stages, fleet, folder, command).perform();
        }
        report.show(run);
        options.evidence.ifPresent(evidence ->
                out.println("Evidence: " + evidence.resolve("evidence.md") + ", " + evidence.resolve("evidence.svg")));
        if (run.verdict().total() == 0) {
            Performance.delete(folder);
        } else {
            out.println("Histories and the log of faults: " + folder);
        }
        return run.passed();
    }

    /** After every mode and mutant, so that nothing is lost if this process is. */
    private void save(Run run) throws IOException {
        Files.writeString(options.out.resolve("summary.json"), Summary.of(run), UTF_8);
        if (options.evidence.isPresent()) {
            Evidence.write(run, options.evidence.get());
        }
    }

    /** The run itself, with what it needs in place. */
    private final class Performance implements Segment.Conductor {
        private final Environments stages;
        private final Fleet fleet;
        private final Path folder;
        private final String command;
        private final Run.Versions versions;
        private final Instant start = Instant.now();
        private final Timeline timeline = new Timeline(start.toEpochMilli());
        private final Progress progress = new Progress(out);
        private final List<Segment.Result> modes = new ArrayList<>();
        private final List<Run.Trial> mutants = new ArrayList<>();
        private final List<Run.Phase> phases = new ArrayList<>();
        private final FaultLog ofModes;
        private FaultLog faults;
        private long processes;
        private long segments;

        Performance(Environments stages, Fleet fleet, Path folder, String command) throws IOException {
            this.stages = stages;
            this.fleet = fleet;
            this.folder = folder;
            this.command = command;
            this.versions = versions();
            this.ofModes = new FaultLog(folder.resolve("faults.log"), timeline);
            this.faults = ofModes;
        }

        Run perform() throws IOException, InterruptedException {
            learn();
            for (Mode mode : options.modes()) {
                if (!isOver()) {
                    modes.add(torture(mode));
                    save(soFar());
                }
            }
            ofModes.close();
            for (Mutant mutant : options.mutants()) {
                if (!isOver()) {
                    mutants.add(hunt(mutant));
                    save(soFar());
                }
            }
            return soFar();
        }

        /** Whether to leave the rest out: the user wants no more, or what was to be proved is refuted already. */
        private boolean isOver() {
            return stopped.get()
                    || (options.full
                            && modes.stream().anyMatch(mode -> mode.verdict().total() > 0));
        }

        private Run soFar() {
            return new Run(
                    start,
                    Duration.between(start, Instant.now()),
                    seed,
                    command,
                    versions,
                    List.copyOf(modes),
                    List.copyOf(mutants),
                    ofModes.counts(),
                    timeline,
                    List.copyOf(phases),
                    modes.size() == options.modes().size()
                            && mutants.size() == options.mutants().size()
                            && !stopped.get(),
                    options.full ? Optional.of(Quantities.EVIDENCE) : Optional.empty());
        }

        private void learn() throws IOException, InterruptedException {
            Path history = folder.resolve("history-learning.tsv");
            Ledger ledger = new Ledger(new Timeline(0));
            String url = stages.alone().records().jdbcUrl();
            WorkerOptions orders = new WorkerOptions(
                    "learning", Mode.CLAIM_FIRST, Optional.empty(), seed, 2, 2, false, url, url, history, 20);
            fleet.learn(orders, ledger.listener("learning", faults, true));
        }

        private Segment.Result torture(Mode mode) throws IOException, InterruptedException {
            phases.add(
                    new Run.Phase((int) Duration.between(start, Instant.now()).toSeconds(), mode.toString()));
            int left = options.modes().size() - modes.size();
            Predicate<Ledger> enough;
            Rates rates = Rates.ALL;
            if (options.full) {
                rates = mode.isReplicated() ? Rates.FAILOVERS : Rates.ALL;
                enough = mode.isReplicated() ? failoversReached() : quantitiesReached();
            } else if (mode.isReplicated()) {
                rates = Rates.FAILOVERS;
                enough = failovers(1);
            } else {
                long end = (long) (options.seconds * 1_000 * (options.mutants().isEmpty() ? 1 : 1 - PART_OF_MUTANTS));
                long spent = Duration.between(start, Instant.now()).toMillis();
                long mine = Math.max(SHORTEST_MILLIS, (end - spent) / left - MILLIS_AROUND);
                rates = mine < 10_000 ? Rates.HASTY : Rates.ALL;
                enough = timePassed(mine);
            }
            Segment.Result result = new Segment(this, mode, Optional.empty(), faults, timeline).run(rates, enough);
            out.println("      " + mode + ": violations: " + result.verdict());
            result.verdict().examples().forEach(example -> out.println("        " + example));
            return result;
        }

        /** Counts from when it is first asked. */
        private Predicate<Ledger> timePassed(long millis) {
            AtomicLong end = new AtomicLong();
            return ledger -> {
                boolean unused = end.compareAndSet(0, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
                return System.nanoTime() > end.get();
            };
        }

        /** So many calls that it is worth a look, on a busy machine as well. */
        private Predicate<Ledger> enoughForAMutant() {
            Predicate<Ledger> early = timePassed(SHORTEST_MILLIS);
            Predicate<Ledger> late = timePassed(LONGEST_MILLIS_OF_A_MUTANT);
            return ledger -> (early.test(ledger) && ledger.answered() >= CALLS_OF_A_MUTANT) || late.test(ledger);
        }

        /** Each mode gets its part; what one did not reach, the next ones do. */
        private Predicate<Ledger> quantitiesReached() {
            long all = options.modes().stream()
                    .filter(mode -> !mode.isReplicated())
                    .count();
            Quantities wanted = Quantities.EVIDENCE.withoutFailovers().parts(modes.size() + 1, (int) all);
            Quantities before = soFar().quantities();
            Predicate<Ledger> late = timePassed(LONGEST_MODE.toMillis());
            return ledger -> Quantities.of(
                                    before.keys() + ledger.stories().size(),
                                    before.calls() + ledger.answered(),
                                    faults.counts())
                            .reach(wanted)
                    || late.test(ledger);
        }

        /** The same of what only the modes with a standby have. */
        private Predicate<Ledger> failoversReached() {
            List<Mode> all = options.modes().stream().filter(Mode::isReplicated).toList();
            long done =
                    modes.stream().filter(mode -> mode.mode().isReplicated()).count();
            Quantities wanted = Quantities.FAILOVERS.parts((int) done + 1, all.size());
            Predicate<Ledger> late = timePassed(LONGEST_MODE.toMillis());
            return ledger -> Quantities.of(0, 0, faults.counts()).reach(wanted) || late.test(ledger);
        }

        private Predicate<Ledger> failovers(int many) {
            long before = failovers();
            Predicate<Ledger> late = timePassed(LONGEST_MILLIS_OF_A_FAILOVER * many);
            return ledger -> failovers() >= before + many || late.test(ledger);
        }

        private long failovers() {
            return faults.count(FaultType.STANDBY_PROMOTED) + faults.count(FaultType.PRIMARY_FENCED);
        }

        private Run.Trial hunt(Mutant mutant) throws IOException, InterruptedException {
            long begin = System.nanoTime();
            Verdict verdict = new Verdict();
            try (FaultLog own = new FaultLog(folder.resolve("faults-of-mutant.log"), new Timeline(0))) {
                faults = own;
                for (int trial = 1; trial <= TRIALS && !verdict.hasBrokenPromise() && !stopped.get(); trial++) {
                    verdict = new Segment(this, mutant.mode(), Optional.of(mutant), own, new Timeline(0))
                            .run(mutant.rates(), mutant.mode().isReplicated() ? failovers(2) : enoughForAMutant())
                            .verdict();
                }
            }
            Run.Trial trial = new Run.Trial(mutant, verdict, Duration.ofNanos(System.nanoTime() - begin));
            out.println("      mutant, " + mutant + ": " + (trial.isCaught() ? "caught: " : "NOT CAUGHT: ") + verdict);
            return trial;
        }

        private Run.Versions versions() {
            Runtime runtime = Runtime.getRuntime();
            return new Run.Versions(
                    System.getProperty("java.vm.name") + " " + Runtime.version(),
                    stages.alone().serverVersion(),
                    stages.alone().driverVersion(),
                    System.getProperty("os.name") + " " + System.getProperty("os.arch"),
                    runtime.availableProcessors());
        }

        private static void delete(Path folder) throws IOException {
            try (var files = Files.list(folder)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(folder);
        }

        @Override
        public Environment stage(Mode mode) {
            return stages.of(mode);
        }

        @Override
        public Fleet fleet() {
            return fleet;
        }

        @Override
        public Path folder() {
            return folder;
        }

        @Override
        public long seed() {
            return seed;
        }

        @Override
        public long nextSegment() {
            return ++segments;
        }

        @Override
        public synchronized long nextProcess() {
            return ++processes;
        }

        @Override
        public void progress(Mode mode, Optional<Mutant> mutant, Ledger ledger) {
            progress.show(Progress.name(mode, mutant), ledger, faults);
        }

        @Override
        public boolean isStopped() {
            return stopped.get();
        }
    }
}
