package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A proxy in front of a PostgreSQL server that cuts connections exactly where a test says, and counts what reaches the
 * server.
 *
 * <p>It follows the protocol closely enough to know each statement, also where the driver sends only a name for it; it
 * does not follow encrypted connections. A rule is armed once, applies to the first statement or answer that fits on any
 * connection, and is used up by that. {@link #awaitCut} waits for it, {@link #heal} takes back what is left.
 */
public final class CuttingProxy implements AutoCloseable {

    /** Written out, because a name would be looked up and may have two addresses. */
    private static final byte[] LOCALHOST = {127, 0, 0, 1};

    private final ServerSocket listener;
    private final Traffic traffic = new Traffic();
    private final CutRules rules = new CutRules();

    private volatile JdbcUrl target;

    // All guarded by this, which is notified when one of them changes.
    private final Set<ProxiedConnection> connections = new HashSet<>();
    private int cutsToCome;
    private boolean blackHole;
    private boolean refusing;
    private int accepted;

    private CuttingProxy(JdbcUrl target, ServerSocket listener) {
        this.target = target;
        this.listener = listener;
    }

    /** Starts a proxy in front of the server, and for the database, of a JDBC URL with one host. */
    public static CuttingProxy inFrontOf(String jdbcUrl) {
        try {
            CuttingProxy proxy = new CuttingProxy(
                    JdbcUrl.parse(jdbcUrl), new ServerSocket(0, 0, InetAddress.getByAddress(LOCALHOST)));
            Thread thread = new Thread(proxy::accept, "proxy on port " + proxy.port());
            thread.setDaemon(true);
            thread.start();
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                connect(listener.accept());
            } catch (IOException clientOrListenerIsGone) {
                // The next client, if there is one.
            }
        }
    }

    private synchronized void connect(Socket client) throws IOException {
        accepted++;
        Socket server = refusing || listener.isClosed() ? null : connectToServer();
        if (server == null) {
            client.setSoLinger(true, 0);
            client.close();
            return;
        }
        ProxiedConnection connection = new ProxiedConnection(this, accepted, client, server, rules, traffic);
        connections.add(connection);
        connection.start();
    }

    private @Nullable Socket connectToServer() {
        try {
            return new Socket(target.host(), target.port());
        } catch (IOException serverIsDown) {
            return null;
        }
    }

    /** The JDBC URL of the database behind this proxy, through this proxy; options may be appended as {@code &name=value}. */
    public String jdbcUrl() {
        return target.at("127.0.0.1", port()).toString();
    }

    public int port() {
        return listener.getLocalPort();
    }

    /**
     * From now on new connections go to another server, as an address does that moves in a failover. Existing
     * connections stay where they are: reset them.
     *
     * @param jdbcUrl with the same database, since {@link #jdbcUrl()} may have been handed out
     */
    public void leadTo(String jdbcUrl) {
        target = JdbcUrl.parse(jdbcUrl);
    }

    /**
     * How often a client has sent something and has waited for the answers to all of it, since the start or the last
     * {@link #resetCounts()}; setting up a connection does not count.
     */
    public int roundTrips() {
        return traffic.roundTrips();
    }

    /** The same for each connection that had any, by its number: the first that was accepted is 1. */
    public SortedMap<Integer, Integer> roundTripsByConnection() {
        return traffic.roundTripsByConnection();
    }

    /** The SQL of what was executed since the start or the last reset, the last 1,000 round trips of it. */
    public List<String> statements() {
        return traffic.statements();
    }

    public void resetCounts() {
        traffic.reset();
    }

    /** The next COMMIT that a client waits for does not reach the server; both sides are closed. */
    public void dropNextCommit() {
        onNextStatement(CutRules::isCommit, Cut.BEFORE_SEND);
    }

    /**
     * The next transaction that the server commits at a client's request: the client does not learn of it, its
     * connection is reset. A COMMIT that the server refuses or answers with ROLLBACK does not count, nor one with
     * which more was sent after it.
     */
    public synchronized void swallowNextCommitAnswer() {
        rules.armForCommitAnswer();
        cutsToCome++;
    }

    /**
     * Cuts at the next statement whose SQL fits. The SQL is what the client once prepared or sends now, whole: several
     * statements in one simple query are one text. A COMMIT with which more is sent after it does not count.
     */
    public synchronized void onNextStatement(Predicate<String> sql, Cut cut) {
        rules.arm(sql, cut);
        cutsToCome++;
    }

    /**
     * Lets that many more messages pass, of all connections and both directions together, and cuts at the one after
     * them. Messages that set up a connection do not count. A test can try every place this way. There is no cut if the
     * message never comes.
     */
    public synchronized void cutAfterMessages(int messages) {
        rules.armAfter(messages);
        cutsToCome++;
    }

    /** Waits until every armed cut has succeeded. */
    public synchronized void awaitCut(Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (cutsToCome > 0) {
            long millis = (deadline - System.nanoTime()) / 1_000_000;
            if (millis <= 0) {
                throw new AssertionError(
                        cutsToCome + " cut(s) did not happen within " + timeout + "; sent:\n" + traffic);
            }
            wait(millis);
        }
    }

    /** Whether every armed cut has succeeded. */
    public synchronized boolean hasCut() {
        return cutsToCome == 0;
    }

    /** From now on nothing passes in either direction, while connections stay open and new ones are accepted. */
    public synchronized void blackHole() {
        blackHole = true;
    }

    /** From now on new connections are reset at once; existing connections go on. */
    public synchronized void refuseConnections() {
        refusing = true;
    }

    /** Only forwards again: held traffic passes, connections are accepted, rules that have not been used are forgotten. */
    public synchronized void heal() {
        blackHole = false;
        refusing = false;
        connections.forEach(connection -> connection.setHeld(false));
        rules.forgetAll();
        cutsToCome = 0;
        notifyAll();
    }

    /**
     * Resets the clients of all connections there are; their connections to the server are closed.
     *
     * @return how many there were
     */
    public int resetAll() {
        List<ProxiedConnection> all = snapshot();
        all.forEach(ProxiedConnection::reset);
        return all.size();
    }

    /** Closes all connections there are, in order. */
    public void closeAll() {
        snapshot().forEach(ProxiedConnection::close);
    }

    private synchronized List<ProxiedConnection> snapshot() {
        return List.copyOf(connections);
    }

    /** Closes all connections and accepts no more. */
    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        closeAll();
    }

    /** What has passed, one line for each round trip: for the message of a test that fails. */
    @Override
    public String toString() {
        return "proxy in front of " + target.host() + ":" + target.port() + "; sent:\n" + traffic;
    }

    /** Blocks while nothing may pass on a connection. */
    synchronized void awaitPassage(ProxiedConnection connection) {
        try {
            while ((blackHole || connection.isHeld()) && !connection.isClosed()) {
                wait();
            }
        } catch (InterruptedException e) {
            // Only the proxy's own threads come here, and nobody interrupts them.
            Thread.currentThread().interrupt();
        }
    }

    synchronized void hold(ProxiedConnection connection) {
        connection.setHeld(true);
        cutSucceeded();
    }

    synchronized void forget(ProxiedConnection connection) {
        connections.remove(connection);
        notifyAll();
    }

    /** One step for callers that ask about the cut, since the client may notice it first. */
    synchronized void cut(ProxiedConnection connection) {
        connection.reset();
        cutSucceeded();
    }

    private void cutSucceeded() {
        cutsToCome = Math.max(0, cutsToCome - 1);
        notifyAll();
    }
}
