package io.counterpoint.idempotency.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Counts the instructions that some processes execute in user mode, by {@code perf stat}. They do not depend on what
 * else the machine does, where processor time does.
 */
final class Instructions implements AutoCloseable {

    /** What machines without a counter print in its place. */
    static final String NOT_OFFERED = "not offered by this machine";

    private final Process perf;
    private final BufferedReader echo;

    private Instructions(Process perf) {
        this.perf = perf;
        this.echo = reader(perf);
    }

    /** Whether this machine has {@code perf}, a counter, and the permission to read it; asked once. */
    static boolean areOffered() {
        return Probe.OFFERED;
    }

    private static final class Probe {
        static final boolean OFFERED = count();

        private static boolean count() {
            try (Instructions own = begin(List.of(ProcessHandle.current().pid()))) {
                return own.end() > 0;
            } catch (IOException noPerfHere) {
                return false;
            }
        }
    }

    /** Counts from now on. A process that is started later does not count. */
    static Instructions begin(Collection<Long> processes) throws IOException {
        String pids = processes.stream().map(String::valueOf).collect(Collectors.joining(","));
        return by("perf", "stat", "-x", ",", "-e", "instructions:u", "-p", pids, "--", "cat");
    }

    /** The command that perf runs begins after its counters do, so its echo says that they count. */
    static Instructions by(String... command) throws IOException {
        Instructions counting = new Instructions(
                new ProcessBuilder(command).redirectErrorStream(true).start());
        OutputStream toCat = counting.perf.getOutputStream();
        try {
            toCat.write('\n');
            toCat.flush();
            counting.echo.readLine();
            return counting;
        } catch (IOException refused) {
            counting.close();
            throw refused;
        }
    }

    /** How many there were since the beginning; not a number where perf cannot tell. */
    double end() throws IOException {
        perf.getOutputStream().close();
        double counted = Double.NaN;
        for (String line; (line = echo.readLine()) != null; ) {
            String count = line.split(",", 2)[0];
            if (count.matches("[0-9]+(\\.[0-9]+)?")) {
                counted = Double.parseDouble(count);
            }
        }
        return counted;
    }

    @Override
    public void close() {
        perf.destroy();
    }

    private static BufferedReader reader(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }
}
