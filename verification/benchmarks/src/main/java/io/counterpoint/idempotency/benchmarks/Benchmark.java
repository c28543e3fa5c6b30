package io.counterpoint.idempotency.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * A subcommand: measures, prints the findings, and stores the worst of its runs in the report. Its header is the title
 * of its section.
 */
@Command(mixinStandardHelpOptions = true)
abstract class Benchmark implements Callable<Integer> {

    @Mixin
    private BenchmarkOptions options = new BenchmarkOptions();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** Measures once, and returns a description of the environment. */
    abstract String measure(BenchmarkOptions chosen, Findings found) throws Exception;

    @Override
    public Integer call() throws Exception {
        options.check();
        run(options, new Quiet());
        return 0;
    }

    final void run(BenchmarkOptions chosen, Quiet quiet) throws Exception {
        List<Findings> runs = new ArrayList<>();
        Set<String> loads = new LinkedHashSet<>();
        String machine = "";
        for (int run = 1; run <= chosen.runs(); run++) {
            BenchmarkProgress.say(spec.name() + ": run " + run + " of " + chosen.runs());
            loads.add(quiet.beforeARun(chosen.goesOnWhereBusy()));
            runs.add(new Findings());
            machine = measure(chosen, runs.get(run - 1));
        }
        Section worst = new Section(
                spec.name(),
                spec.usageMessage().header()[0],
                chosen.command(spec.name()),
                Machine.now(),
                machine
                        + (runs.size() == 1 ? " One run. " : " The worst medians of " + runs.size() + " runs. ")
                        + String.join(" ", loads),
                Findings.worstOf(runs));
        System.out.println(BenchmarkReport.text(worst));
        chosen.report().put(worst);
    }
}
