package io.counterpoint.idempotency.testing;

import java.net.Socket;
import java.time.Duration;
import java.util.List;

/**
 * A proxy in front of a PostgreSQL server that cuts connections exactly where a test says, and counts what reaches the
 * server.
 *
 * <p>It follows the protocol closely enough to know each statement, also where the driver sends only a name for it; it
 * does not follow encrypted connections. {@link #awaitCut} waits for a cut.
 */
public final class CuttingProxy extends StatementProxy {

    private final Traffic traffic = new Traffic();

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
     * How often a client has sent something and has waited for the answers to all of it, since the start or the last
     * {@link #resetCounts()}. Neither setting up a connection counts nor {@code isValid}, which pools call when they
     * please.
     */
    public int roundTrips() {
        return traffic.roundTrips();
    }

    /** The SQL of what was executed since the start or the last reset, the last 1,000 round trips of it. */
    public List<String> statements() {
        return traffic.statements();
    }

    public void resetCounts() {
        traffic.reset();
    }

    /**
     * The next transaction that the server commits at a client's request: the client does not learn of it, its
     * connection is reset. A COMMIT that the server refuses or answers with ROLLBACK does not count, nor one with
     * which more was sent after it.
     */
    @Override
    public synchronized void swallowNextCommitAnswer() {
        rules.armForCommitAnswer();
        armed();
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

    /** What has passed, one line for each round trip: for the message of a test that fails. */
    @Override
    public String toString() {
        return super.toString() + "; sent:\n" + traffic;
    }
}
