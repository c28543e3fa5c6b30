package io.counterpoint.idempotency.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A subcommand: measures, prints what it found, and keeps the worst of its runs in the report. */
abstract class Benchmark implements Callable<Integer> {

    @Mixin
    private Options options = new Options();

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    abstract Section measure(Options chosen) throws Exception;

    @Override
    public Integer call() throws Exception {
        options.check();
        run(spec.name(), options, new Quiet());
        return 0;
    }

    final void run(String name, Options chosen, Quiet quiet) throws Exception {
        List<Section> runs = new ArrayList<>();
        Set<String> loads = new LinkedHashSet<>();
        for (int run = 1; run <= chosen.runs(); run++) {
            Progress.say(name + ": run " + run + " of " + chosen.runs());
            loads.add(quiet.beforeARun(chosen.goesOnWhereBusy()));
            runs.add(measure(chosen));
        }
        Section worst = Section.worstOf(runs).with(chosen.command(name), Machine.now(), counted(runs.size(), loads));
        System.out.println(Report.text(worst));
        chosen.report().put(name, worst);
    }

    private static String counted(int runs, Set<String> loads) {
        return (runs == 1 ? "One run. " : "The worst medians of " + runs + " runs. ") + String.join(" ", loads);
    }
}
