package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The nodes of a command: the one in this process, further ones in processes of their own, and a gateway before them. */
final class Nodes implements AutoCloseable {

    private final String first;
    private final List<NodeProcess> others = new ArrayList<>();
    private @Nullable Gateway gateway;

    private Nodes(String first) {
        this.first = first;
    }

    /** Starts all but the first, which listens already; one alone needs no gateway. */
    static Nodes start(
            int number,
            int port,
            String first,
            DatabaseAddress database,
            Outside outside,
            String operatorToken,
            boolean repairs)
            throws CannotRun {
        Nodes nodes = new Nodes(first);
        if (number == 1) {
            return nodes;
        }
        try {
            List<Gateway.Node> all = new ArrayList<>();
            all.add(new Gateway.Node(first, () -> true));
            for (int i = 1; i < number; i++) {
                NodeProcess process = NodeProcess.start(
                        database, outside, operatorToken, Platform.Times.USUAL.abandonedAfter(), repairs);
                nodes.others.add(process);
                all.add(process.node());
            }
            nodes.gateway = new Gateway(all, port);
            return nodes;
        } catch (CannotRun | RuntimeException e) {
            nodes.close();
            throw e;
        }
    }

    /** Where the service is asked, without a path. */
    String url() {
        return gateway == null ? first : gateway.url();
    }

    /** Lines that say what stands behind the gateway; none without one. */
    List<String> described() {
        return others.stream()
                .map(node -> "  Behind it is a node of its own: kill -9 " + node.id() + " loses no promise.")
                .toList();
    }

    @Override
    public void close() {
        if (gateway != null) {
            gateway.close();
        }
        others.forEach(NodeProcess::close);
    }
}
