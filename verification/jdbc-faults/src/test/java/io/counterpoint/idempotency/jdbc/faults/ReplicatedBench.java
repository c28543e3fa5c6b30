package io.counterpoint.idempotency.jdbc.faults;

import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.CuttingProxy;
import io.counterpoint.idempotency.testing.ReplicatedPostgres;
import java.sql.DriverManager;
import java.util.Map;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;

/**
 * A primary and a synchronous standby. Callers under test reach the primary of the moment through a proxy, everybody else
 * directly. A failover fences the old primary before the standby is promoted.
 */
final class ReplicatedBench implements AutoCloseable {

    private static final String WAITING = """
            SELECT pid, wait_event, application_name FROM pg_stat_activity
            WHERE application_name <> '' AND (wait_event = 'SyncRep' OR wait_event_type = 'Lock')
            """;

    final ReplicatedPostgres pair;
    final CuttingProxy proxy;

    /** The primary of the moment. */
    final Jdbi direct;

    private String bothHosts = "";

    private ReplicatedBench(ReplicatedPostgres pair) {
        this.pair = pair;
        this.direct =
                Jdbi.create(() -> DriverManager.getConnection(pair.primary().jdbcUrl()));
        this.proxy = CuttingProxy.inFrontOf(pair.primary().jdbcUrl());
    }

    static ReplicatedBench start() {
        ReplicatedBench bench = new ReplicatedBench(ReplicatedPostgres.start());
        JdbiIdempotencyStore unused = JdbiIdempotencyStore.on(bench.direct).createTableIfMissing();
        bench.direct.useHandle(handle -> handle.execute("CREATE TABLE effect (id varchar(255) NOT NULL)"));
        return bench;
    }

    /** Makes the standby a synchronous one, after another has been made if the last was promoted. */
    void prepare(boolean promoted) {
        if (promoted) {
            pair.addStandby();
        }
        pair.waitForStandby();
        bothHosts = "jdbc:postgresql://127.0.0.1:" + pair.primary().port() + ",127.0.0.1:"
                + pair.standby().port() + "/postgres?user=postgres&sslmode=disable&targetServerType=primary";
    }

    /** How a caller under test reaches the primary, by a name that the server shows. */
    Jdbi caller(String name, String options) {
        return Jdbi.create(proxy.jdbcUrl() + "&ApplicationName=" + name + options);
    }

    /** How a client with both servers' addresses finds the primary. */
    Jdbi atEitherHost() {
        return Jdbi.create(bothHosts);
    }

    /** The callers that wait for the standby or for a lock in the primary now, by the process id of their backend. */
    Map<Wait, String> waiting() {
        return direct.withHandle(handle -> handle
                .createQuery(WAITING)
                .map(row -> Map.entry(
                        new Wait(row.getColumn("pid", Integer.class), row.getColumn("wait_event", String.class)),
                        row.getColumn("application_name", String.class)))
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    }

    /**
     * A wait of a backend. A backend that waited for a lock may get it before it is cancelled, and the server forgets what
     * is cancelled between two statements. Then it waits for the standby: that is another wait.
     */
    record Wait(int backend, String event) {}

    /** All sessions, for the message of a test that fails. */
    String sessions() {
        return direct.withHandle(handle -> handle.createQuery("SELECT pid, application_name, state, wait_event_type,"
                        + " wait_event, query FROM pg_stat_activity WHERE application_name <> ''")
                .mapToMap()
                .list()
                .toString());
    }

    /** The primary is gone, and callers reach no server. */
    void loseThePrimary() {
        proxy.refuseConnections();
        proxy.resetAll();
        pair.primary().kill();
    }

    /** The standby is the primary, and callers do not reach it yet. */
    void promote() {
        pair.promote().close();
    }

    void letCallersIn() {
        proxy.leadTo(pair.primary().jdbcUrl());
        proxy.heal();
    }

    void failOver() {
        loseThePrimary();
        promote();
        letCallersIn();
    }

    @Override
    public void close() {
        proxy.close();
        pair.close();
    }
}
