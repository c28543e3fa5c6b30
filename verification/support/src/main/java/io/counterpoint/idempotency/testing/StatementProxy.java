package io.counterpoint.idempotency.testing;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A proxy in front of a database server that understands statements, and cuts connections exactly where a test says. A
 * rule applies once, to the first matching statement or reply on any connection. {@link #heal} discards the remaining
 * rules.
 */
public abstract class StatementProxy extends ServerProxy {

    final CutRules rules = new CutRules();

    // All guarded by the lock of this, which is notified when one of them changes.
    private final Set<ProxiedConnection> held = new HashSet<>();
    int cutsToCome;
    private boolean hasCut;
    private boolean blackHole;

    StatementProxy(String jdbcUrl) {
        super(jdbcUrl);
    }

    /**
     * Cuts at the next statement whose SQL matches. The SQL is the complete text that the client prepared or sends;
     * several statements in one simple query are one text. A COMMIT does not count if more is sent after it in the same
     * batch.
     */
    public synchronized void onNextStatement(Predicate<String> sql, Cut cut) {
        rules.arm(sql, cut);
        armed();
    }

    /** The next COMMIT that a client waits for does not reach the server; both sides are closed. */
    public void dropNextCommit() {
        onNextStatement(CutRules::isCommit, Cut.BEFORE_SEND);
    }

    /** The server executes the next COMMIT, but the client's connection is reset before it sees the reply. */
    public void swallowNextCommitAnswer() {
        onNextStatement(CutRules::isCommit, Cut.AFTER_ANSWER);
    }

    /**
     * Lets this many more messages pass, on all connections and in both directions together, and cuts at the next one.
     * Connection setup does not count. This lets a test try every place. There is no cut if the message never comes.
     */
    public synchronized void cutAfterMessages(int messages) {
        rules.armAfter(messages);
        armed();
    }

    final synchronized void armed() {
        cutsToCome++;
        hasCut = false;
    }

    /** Whether all cuts armed since the start, or since the last {@link #heal}, have happened. */
    public synchronized boolean hasCut() {
        return hasCut;
    }

    /** From now on, nothing passes in either direction, but connections stay open and new ones are accepted. */
    public synchronized void blackHole() {
        blackHole = true;
    }

    /** From now on, new connections are reset at once; existing connections continue. */
    public void refuseConnections() {
        setRefusing(true);
    }

    /**
     * Routes new connections to another server, like an address that moves in a failover. Existing connections stay
     * where they are; reset them if necessary.
     *
     * @param jdbcUrl must have the same database, because {@link #jdbcUrl()} may already be in use
     */
    public void leadTo(String jdbcUrl) {
        setTarget(JdbcUrl.parse(jdbcUrl));
    }

    /** Returns to plain forwarding: held traffic passes, connections are accepted, and unused rules are discarded. */
    public synchronized void heal() {
        blackHole = false;
        setRefusing(false);
        held.clear();
        rules.forgetAll();
        cutsToCome = 0;
        notifyAll();
    }

    /**
     * Resets the clients of all open connections; their connections to the server are closed.
     *
     * @return how many there were
     */
    public int resetAll() {
        List<ProxiedConnection> all = connections();
        all.forEach(ProxiedConnection::reset);
        return all.size();
    }

    /** Closes all open connections normally. */
    public void closeAll() {
        connections().forEach(ProxiedConnection::close);
    }

    /** Resets all connections, including new ones from now on. */
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
            // Only the proxy's own threads get here, and nobody interrupts them.
            Thread.currentThread().interrupt();
        }
    }

    synchronized void hold(ProxiedConnection connection) {
        held.add(connection);
        cutSucceeded();
    }

    /** Atomic for callers that ask about the cut, because the client may notice it first. */
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
