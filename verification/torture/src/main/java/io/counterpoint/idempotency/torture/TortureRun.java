package io.counterpoint.idempotency.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/** A run: mode after mode and mutant after mutant, and their results so far. */
final class TortureRun implements Segment.Conductor {

    /** The share of the time for the mutants. */
    private static final double PART_OF_MUTANTS = 0.5;

    /** The number of trials after which a mutant counts as not caught. */
    private static final int TRIALS = 12;

    /**
     * What a segment needs besides the time under faults: to start processes, to become idle, and for the final calls.
     */
    private static final long MILLIS_AROUND = 1_800;

    private final TortureOptions options;
    private final long seed;
    private final PrintStream out;
    private final BooleanSupplier stopped;
    private final Environments stages;
    private final Fleet fleet;
    private final Path folder;
    private final String command;
    private final Run.Versions versions;
    private final Instant start = Instant.now();
    private final TortureProgress progress;
    private final List<Segment.Result> modes = new ArrayList<>();
    private final List<Run.Trial> mutants = new ArrayList<>();
    private final FaultLog ofModes;
    private FaultLog faults;
    private long processes;
    private long segments;

    /**
     * Creates a run.
     *
     * @param command the command line, for the report
     * @param stopped whether the user wants to stop
     * @param folder for histories and fault logs
     */
    TortureRun(
            TortureOptions options,
            long seed,
            String command,
            PrintStream out,
            BooleanSupplier stopped,
            Environments stages,
            Fleet fleet,
            Path folder)
            throws IOException {
        this.options = options;
        this.seed = seed;
        this.out = out;
        this.stopped = stopped;
        this.progress = new TortureProgress(out);
        this.stages = stages;
        this.fleet = fleet;
        this.folder = folder;
        this.command = command;
        this.versions = versions();
        this.ofModes = new FaultLog(folder.resolve("faults.log"));
        this.faults = ofModes;
    }

    Run perform() throws IOException, InterruptedException {
        learn();
        for (Mode mode : options.modes()) {
            if (!isOver()) {
                modes.add(torture(mode));
                save();
            }
        }
        ofModes.close();
        for (Mutant mutant : options.mutants()) {
            if (!isOver()) {
                mutants.add(hunt(mutant));
                save();
            }
        }
        return soFar();
    }

    /** Whether to skip the rest, because the user wants to stop, or because the claim has already been refuted. */
    private boolean isOver() {
        return stopped.getAsBoolean()
                || (options.full
                        && modes.stream().anyMatch(mode -> mode.verdict().total() > 0));
    }

    /** Saves after every mode and mutant, so that nothing is lost if this process is. */
    private void save() throws IOException {
        Run run = soFar();
        try (PrintStream summary =
                new PrintStream(options.out.resolve("summary.txt").toFile(), UTF_8)) {
            new TortureReport(summary).show(run);
        }
        if (options.evidence.isPresent()) {
            Evidence.write(run, options.evidence.get());
        }
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
                modes.size() == options.modes().size()
                        && mutants.size() == options.mutants().size()
                        && !stopped.getAsBoolean(),
                options.full ? Optional.of(Quantities.EVIDENCE) : Optional.empty());
    }

    private void learn() throws IOException, InterruptedException {
        Path history = folder.resolve("history-learning.tsv");
        Ledger ledger = new Ledger();
        String url = stages.alone().recordsUrl();
        WorkerOptions orders = new WorkerOptions(
                "learning",
                Mode.CLAIM_FIRST,
                Optional.empty(),
                seed,
                2,
                2,
                false,
                stages.alone().isolation(),
                url,
                url,
                history,
                20);
        fleet.learn(orders, ledger.listener("learning", faults, true));
    }

    private Segment.Result torture(Mode mode) throws IOException, InterruptedException {
        int left = options.modes().size() - modes.size();
        Predicate<Ledger> enough;
        Rates rates = Rates.ALL;
        if (options.full) {
            rates = mode.isReplicated() ? Rates.FAILOVERS : Rates.ALL;
            enough = mode.isReplicated() ? failoverQuantities() : quantities();
        } else if (mode.isReplicated()) {
            rates = Rates.FAILOVERS;
            enough = Enough.failovers(1, faults);
        } else {
            long end = (long) (options.seconds * 1_000 * (options.mutants().isEmpty() ? 1 : 1 - PART_OF_MUTANTS));
            long spent = Duration.between(start, Instant.now()).toMillis();
            long mine = Math.max(Enough.SHORTEST_MILLIS, (end - spent) / left - MILLIS_AROUND);
            rates = mine < 10_000 ? Rates.HASTY : Rates.ALL;
            enough = Enough.timePassed(mine);
        }
        Segment.Result result = new Segment(this, mode, Optional.empty(), faults).run(rates, enough);
        out.println("      " + mode + ": " + result.found() + "; violations: " + result.verdict());
        result.verdict().examples().forEach(example -> out.println("        " + example));
        return result;
    }

    /** Each mode gets its share; what one does not reach is left to the next ones. */
    private Predicate<Ledger> quantities() {
        long all = options.modes().stream().filter(mode -> !mode.isReplicated()).count();
        Quantities wanted = Quantities.EVIDENCE.withoutFailovers().parts(modes.size() + 1, (int) all);
        return Enough.quantities(wanted, soFar().quantities(), faults);
    }

    /** The same for quantities that only the modes with a standby have. */
    private Predicate<Ledger> failoverQuantities() {
        long all = options.modes().stream().filter(Mode::isReplicated).count();
        long done = modes.stream().filter(mode -> mode.mode().isReplicated()).count();
        return Enough.failoverQuantities(Quantities.FAILOVERS.parts((int) done + 1, (int) all), faults);
    }

    private Run.Trial hunt(Mutant mutant) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        Verdict verdict = new Verdict();
        try (FaultLog own = new FaultLog(folder.resolve("faults-of-mutant.log"))) {
            faults = own;
            for (int trial = 1; trial <= TRIALS && !verdict.hasBrokenPromise() && !stopped.getAsBoolean(); trial++) {
                verdict = new Segment(this, mutant.mode(), Optional.of(mutant), own)
                        .run(
                                mutant.rates(),
                                mutant.mode().isReplicated() ? Enough.failovers(2, own) : Enough.forAMutant())
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
        progress.show(TortureProgress.name(mode, mutant), ledger, faults);
    }

    @Override
    public boolean isStopped() {
        return stopped.getAsBoolean();
    }
}
