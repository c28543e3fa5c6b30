package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.process.ChildProcess;
import io.counterpoint.idempotency.programs.process.ChildProcesses;
import io.counterpoint.idempotency.programs.process.JavaProgram;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The nodes of a command, and a gateway before them: one node in this process, further ones in processes of their own. A
 * node that dies is replaced by a new process, which gets requests as soon as it listens.
 */
final class Nodes implements AutoCloseable {

    private static final Duration TIME_TO_START = Duration.ofMinutes(1);
    private static final Duration TIME_TO_END = Duration.ofSeconds(15);

    private final ChildProcesses others;
    private final Gateway gateway;

    private Nodes(ChildProcesses others, Gateway gateway) {
        this.others = others;
        this.gateway = gateway;
    }

    /**
     * Starts all but the first, and waits until they listen.
     *
     * @param number two or more, with the first
     * @param port of the gateway; 0 for any
     * @param first where the one in this process listens
     * @param program the others
     */
    static Nodes start(int number, int port, String first, JavaProgram program, Consumer<String> log)
            throws CannotRun, InterruptedException {
        ChildProcesses others = ChildProcesses.start(number - 1, program, TIME_TO_END, log);
        try {
            if (!others.await(working -> working.size() == number - 1, TIME_TO_START)) {
                throw new CannotRun("A node did not start.");
            }
            return new Nodes(others, new Gateway(first, () -> urls(others.working()), port, log));
        } catch (CannotRun | InterruptedException | RuntimeException e) {
            others.close();
            throw e;
        }
    }

    private static List<String> urls(List<ChildProcess> nodes) {
        return nodes.stream().flatMap(node -> node.ready().stream()).toList();
    }

    /** Where the gateway listens, without a path. */
    String url() {
        return gateway.url();
    }

    /** The nodes in processes of their own that listen, by the number of the process, with their URLs. */
    Map<Long, String> others() {
        return byPid(others.working());
    }

    private static Map<Long, String> byPid(List<ChildProcess> nodes) {
        Map<Long, String> found = new LinkedHashMap<>();
        nodes.forEach(node -> node.ready().ifPresent(url -> found.put(node.pid(), url)));
        return found;
    }

    /** Waits until the nodes that listen are as wanted; returns false if that takes longer. */
    boolean await(Predicate<Map<Long, String>> wanted, Duration atMost) throws InterruptedException {
        return others.await(working -> wanted.test(byPid(working)), atMost);
    }

    /** {@code kill -9}. Returns whether there is such a node. */
    boolean kill(long pid) {
        return others.kill(pid);
    }

    /** How many requests each node has got, by its URL. */
    Map<String, Integer> handed() {
        return gateway.handed();
    }

    /** How many nodes were replaced up to now. */
    int replaced() {
        return others.replaced();
    }

    /** Lets every node answer what it is at. */
    @Override
    public void close() {
        gateway.close();
        others.close();
    }
}
