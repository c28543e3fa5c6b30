package io.counterpoint.idempotency.testing;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A proxy in front of a database server that knows statements, and cuts connections exactly where a test says. A rule is
 * armed once, applies to the first statement or answer that fits on any connection, and is used up by that. {@link #heal}
 * takes back what is left.
 */
public abstract class StatementProxy extends ServerProxy {

    final CutRules rules = new CutRules();

    // All read and written under the lock of this, which is notified when one of them changes.
    private final Set<ProxiedConnection> held = new HashSet<>();
    int cutsToCome;
    private boolean hasCut;
    private boolean blackHole;

    StatementProxy(String jdbcUrl) {
        super(jdbcUrl);
    }

    /**
     * Cuts at the next statement whose SQL fits. The SQL is what the client once prepared or sends now, whole: several
     * statements in one simple query are one text. A COMMIT with which more is sent after it does not count.
     */
    public synchronized void onNextStatement(Predicate<String> sql, Cut cut) {
        rules.arm(sql, cut);
        armed();
    }

    /** The next COMMIT that a client waits for does not reach the server; both sides are closed. */
    public void dropNextCommit() {
        onNextStatement(CutRules::isCommit, Cut.BEFORE_SEND);
    }

    /** The server executes the next COMMIT, and the client does not learn of it: its connection is reset. */
    public void swallowNextCommitAnswer() {
        onNextStatement(CutRules::isCommit, Cut.AFTER_ANSWER);
    }

    /**
     * Lets that many more messages pass, of all connections and both directions together, and cuts at the one after
     * them. Messages that set up a connection do not count. A test can try every place this way. There is no cut if the
     * message never comes.
     */
    public synchronized void cutAfterMessages(int messages) {
        rules.armAfter(messages);
        armed();
    }

    final synchronized void armed() {
        cutsToCome++;
        hasCut = false;
    }

    /** Whether all cuts have succeeded that were armed since the start, or since the last {@link #heal}. */
    public synchronized boolean hasCut() {
        return hasCut;
    }

    /** From now on nothing passes in either direction, while connections stay open and new ones are accepted. */
    public synchronized void blackHole() {
        blackHole = true;
    }

    /** From now on new connections are reset at once; existing connections go on. */
    public void refuseConnections() {
        setRefusing(true);
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

    /** From now on new connections are reset, and all that there are. */
    public void goAway() {
        refuseConnections();
        int unused = resetAll();
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
        hasCut = cutsToCome == 0;
        notifyAll();
    }
}
