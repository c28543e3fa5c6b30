package io.counterpoint.idempotency.testing;

import java.net.Socket;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Predicate;

/**
 * A proxy in front of a PostgreSQL server that cuts connections exactly where a test says, and counts what reaches the
 * server.
 *
 * <p>It follows the protocol closely enough to know each statement, also where the driver sends only a name for it; it
 * does not follow encrypted connections. A rule is armed once, applies to the first statement or answer that fits on any
 * connection, and is used up by that. {@link #awaitCut} waits for it, {@link #heal} takes back what is left.
 */
public final class CuttingProxy extends ServerProxy {

    private final Traffic traffic = new Traffic();
    private final CutRules rules = new CutRules();

    // All read and written under the lock of this, which is notified when one of them changes.
    private final Set<ProxiedConnection> held = new HashSet<>();
    private int cutsToCome;
    private boolean blackHole;

    private CuttingProxy(String jdbcUrl) {
        super(jdbcUrl);
    }

    /** Starts a proxy in front of the server, and for the database, of a JDBC URL with one host. */
    public static CuttingProxy inFrontOf(String jdbcUrl) {
        return accepting(new CuttingProxy(jdbcUrl));
    }

    @Override
    ProxiedConnection connection(int number, Socket client, Socket server) {
        return new CuttingConnection(this, number, client, server, rules, traffic);
    }

    /**
     * From now on new connections go to another server, as an address does that moves in a failover. Existing
     * connections stay where they are: reset them.
     *
     * @param jdbcUrl with the same database, since {@link #jdbcUrl()} may have been handed out
     */
    public void leadTo(String jdbcUrl) {
        setTarget(JdbcUrl.parse(jdbcUrl));
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
    public void refuseConnections() {
        setRefusing(true);
    }

    /** Only forwards again: held traffic passes, connections are accepted, rules that have not been used are forgotten. */
    public synchronized void heal() {
        blackHole = false;
        setRefusing(false);
        held.clear();
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
        List<ProxiedConnection> all = connections();
        all.forEach(ProxiedConnection::reset);
        return all.size();
    }

    /** Closes all connections there are, in order. */
    public void closeAll() {
        connections().forEach(ProxiedConnection::close);
    }

    /** What has passed, one line for each round trip: for the message of a test that fails. */
    @Override
    public String toString() {
        return super.toString() + "; sent:\n" + traffic;
    }

    /** Blocks while nothing may pass on a connection. */
    synchronized void awaitPassage(ProxiedConnection connection) {
        try {
            while ((blackHole || held.contains(connection)) && !connection.isClosed()) {
                wait();
            }
        } catch (InterruptedException e) {
            // Only the proxy's own threads come here, and nobody interrupts them.
            Thread.currentThread().interrupt();
        }
    }

    synchronized void hold(ProxiedConnection connection) {
        held.add(connection);
        cutSucceeded();
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
