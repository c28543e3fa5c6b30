package io.counterpoint.idempotency.examples.consumer.breaker;

import io.counterpoint.idempotency.inbox.InboxListener.Counts;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.process.ChildProcesses;
import io.counterpoint.idempotency.programs.process.JavaProgram;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The consumer processes, each replaced when it exits. Their output is collected here. */
final class ConsumerProcesses implements AutoCloseable {

    private static final Duration LONGEST_START = Duration.ofMinutes(1);

    /** Matches whole lines only, because the last line of a killed process may be truncated. */
    private static final Pattern COUNTS = Pattern.compile(".*: (\\d+) (\\d+) (\\d+) (\\d+)");

    private final BlockingQueue<Counts> handled = new LinkedBlockingQueue<>();
    private final int number;
    private final ChildProcesses processes;

    ConsumerProcesses(ConsumerBreakerOptions options, String url, String bootstrapServers) throws CannotRun {
        number = options.consumers;
        List<String> arguments = new ArrayList<>(List.of(url, bootstrapServers, Integer.toString(options.batch)));
        if (options.unprotected) {
            arguments.add("unprotected");
        }
        List<String> forLong = List.of("-Xmx192m", "-XX:TieredStopAtLevel=4");
        JavaProgram program =
                new JavaProgram("consumer", ConsumerMain.class, ConsumerMain.READY, forLong, arguments, Map.of());
        processes = ChildProcesses.start(number, program, Duration.ZERO, this::said);
    }

    private void said(String line) {
        Matcher counts = COUNTS.matcher(line);
        if (counts.matches()) {
            handled.add(new Counts(count(counts, 1), count(counts, 2), count(counts, 3), count(counts, 4)));
        } else {
            System.err.println(line);
        }
    }

    private static int count(Matcher counts, int which) {
        return Integer.parseInt(counts.group(which));
    }

    /** Returns the counts of the next batch, or null if there is none in time. */
    @Nullable
    Counts next(long millis) throws InterruptedException {
        return handled.poll(millis, TimeUnit.MILLISECONDS);
    }

    /** Kills one of the running consumers. Another takes its place. */
    void kill(int which) throws CannotRun, InterruptedException {
        if (!processes.await(working -> working.size() == number, LONGEST_START)) {
            throw new CannotRun("A consumer did not start.");
        }
        boolean unused = processes.kill(processes.pids().get(which));
    }

    @Override
    public void close() {
        processes.close();
    }
}
