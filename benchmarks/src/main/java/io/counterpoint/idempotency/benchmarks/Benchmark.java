package io.counterpoint.idempotency.benchmarks;

import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A subcommand: measures, prints what it found, and keeps it in the report. */
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
        run(spec.name(), options);
        return 0;
    }

    final void run(String name, Options chosen) throws Exception {
        Section section = measure(chosen);
        System.out.println(Report.text(section));
        new Report(chosen.docs()).put(name, section);
    }
}
