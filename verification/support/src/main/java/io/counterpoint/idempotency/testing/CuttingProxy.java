package io.counterpoint.idempotency.testing;

import java.net.Socket;
import java.time.Duration;
import java.util.List;

/**
 * A proxy in front of a PostgreSQL server that cuts connections exactly where a test says, and records what reaches the
 * server.
 *
 * <p>It follows the protocol closely enough to know each statement, even if the driver sends only a name for it. It
 * does not support encrypted connections. {@link #awaitCut} waits for a cut.
 */
public final class CuttingProxy extends StatementProxy {

    private final Traffic traffic = new Traffic();

    private CuttingProxy(String jdbcUrl) {
        super(jdbcUrl);
    }

    /** Starts a proxy in front of the server and database of a JDBC URL with one host. */
    public static CuttingProxy inFrontOf(String jdbcUrl) {
        return accepting(new CuttingProxy(jdbcUrl));
    }

    @Override
    ProxiedConnection connection(int number, Socket client, Socket server) {
        return new CuttingConnection(this, number, client, server, rules, traffic);
    }

    /**
     * The number of round trips since the start or the last {@link #resetCounts()}: how many times a client has sent
     * something and waited for all replies. Connection setup does not count, and neither does {@code isValid}, which
     * pools call whenever they like.
     */
    public int roundTrips() {
        return traffic.roundTrips();
    }

    /** The SQL executed since the start or the last reset, limited to the last 1,000 round trips. */
    public List<String> statements() {
        return traffic.statements();
    }

    public void resetCounts() {
        traffic.reset();
    }

    /**
     * Hides the next commit from its client: the server commits, but the client's connection is reset before it sees
     * the reply. A COMMIT does not count if the server rejects it, if the server replies with ROLLBACK, or if more was
     * sent after it in the same batch.
     */
    @Override
    public synchronized void swallowNextCommitAnswer() {
        rules.armForCommitAnswer();
        armed();
    }

    /** Waits until every armed cut has happened. */
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

    /** The recorded traffic, one line per round trip, for the message of a failing test. */
    @Override
    public String toString() {
        return super.toString() + "; sent:\n" + traffic;
    }
}
