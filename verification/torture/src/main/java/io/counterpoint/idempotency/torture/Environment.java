package io.counterpoint.idempotency.torture;

import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.jdbc.PlainPostgreSqlDialect;
import io.counterpoint.idempotency.testing.CuttingProxy;
import io.counterpoint.idempotency.testing.PostgresServer;
import io.counterpoint.idempotency.testing.ReplicatedPostgres;
import io.counterpoint.idempotency.torture.Checker.Findings;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Two servers, the proxies in front of them, and the tables in them. That of the records may have a standby. Or one
 * database of a server that somebody else keeps, which cannot be crashed.
 */
final class Environment implements AutoCloseable {

    /** For servers on a busy machine: only a connection that nothing ends is there for so long. */
    private static final Duration LONGEST_STANDSTILL = Duration.ofMinutes(2);

    /** No key of its own, so that a second effect is possible and can be seen; and a list of what a purge took. */
    private static final String EFFECTS = """
            CREATE TABLE effect (key_value text NOT NULL, payload text NOT NULL);
            CREATE INDEX ON effect (key_value);
            CREATE INDEX ON effect (payload);
            CREATE TABLE booking (key_id text UNIQUE, request text, key_value text NOT NULL, payload text NOT NULL);
            CREATE TABLE removed (key_value text NOT NULL, state char(1) NOT NULL);
            """;

    private static final String REMOVED = """
            CREATE FUNCTION note_removed() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN INSERT INTO removed VALUES (OLD.key_value, OLD.state); RETURN OLD; END';
            CREATE TRIGGER removed AFTER DELETE ON idempotency_record
                FOR EACH ROW EXECUTE FUNCTION note_removed();
            """;

    /**
     * A pending record of an effect in the database that nobody runs again until somebody has looked has a state here. A row
     * of the domain that is a record stands for a success.
     */
    private static final String RECORDS = """
            SELECT key_value, CASE WHEN state = 'P' AND protocol = 'E' THEN 'E' ELSE state END FROM idempotency_record
            UNION ALL SELECT key_value, 'S' FROM booking
            """;

    private static final String NONE_OF_THEM =
            "DROP TABLE effect, booking, removed, idempotency_record; DROP FUNCTION note_removed()";

    private final Optional<ReplicatedPostgres> pair;
    private final Supplier<PostgresServer> records;
    private final Supplier<String> recordsUrl;
    private final Optional<PostgresServer> effects;
    private final Jdbi recordsJdbi;
    private final Jdbi effectsJdbi;
    private final List<CuttingProxy> toRecords = new ArrayList<>();
    private final List<CuttingProxy> toEffects = new ArrayList<>();

    private Environment(int slots, Optional<ReplicatedPostgres> pair, Supplier<PostgresServer> records) {
        this.pair = pair;
        this.records = records;
        this.recordsUrl = () -> records.get().jdbcUrl();
        PostgresServer elsewhere = PostgresServer.start();
        this.effects = Optional.of(elsewhere);
        this.recordsJdbi = Jdbi.create(() -> DriverManager.getConnection(recordsUrl()));
        this.effectsJdbi = Jdbi.create(elsewhere.jdbcUrl());
        JdbiIdempotencyStore unused =
                JdbiIdempotencyStore.on(Jdbi.create(recordsUrl())).createTableIfMissing();
        createTables(recordsJdbi);
        recordsJdbi.useHandle(handle -> handle.execute(REMOVED));
        createTables(effectsJdbi);
        for (int slot = 0; slot < slots; slot++) {
            toRecords.add(CuttingProxy.inFrontOf(recordsUrl()));
            toEffects.add(CuttingProxy.inFrontOf(elsewhere.jdbcUrl()));
        }
    }

    private Environment(int slots, String url) {
        this.pair = Optional.empty();
        this.records = () -> {
            throw new IllegalStateException("The server at the given URL is somebody else's.");
        };
        this.recordsUrl = () -> url;
        this.effects = Optional.empty();
        this.recordsJdbi = Jdbi.create(url);
        this.effectsJdbi = recordsJdbi;
        JdbiIdempotencyStore unused = JdbiIdempotencyStore.builder(recordsJdbi)
                .dialect(PlainPostgreSqlDialect.create())
                .build()
                .createTableIfMissing();
        createTables(recordsJdbi);
        recordsJdbi.useHandle(handle -> handle.execute(REMOVED));
        for (int slot = 0; slot < slots; slot++) {
            toRecords.add(CuttingProxy.inFrontOf(url));
        }
    }

    /** The tables of effects and of what a purge took, beside which the records have theirs. */
    static void createTables(Jdbi jdbi) {
        jdbi.useHandle(handle -> handle.createScript(EFFECTS).execute());
    }

    static Environment alone(int slots) {
        PostgresServer records = PostgresServer.start();
        return new Environment(slots, Optional.empty(), () -> records);
    }

    /** In an empty database of a server that runs already, for the modes over the plain dialect. */
    static Environment at(String url, int slots) {
        return new Environment(slots, url);
    }

    /** With a synchronous standby. */
    static Environment replicated(int slots) {
        ReplicatedPostgres pair = ReplicatedPostgres.start();
        Environment stage = new Environment(slots, Optional.of(pair), pair::primary);
        pair.waitForStandby();
        return stage;
    }

    ReplicatedPostgres pair() {
        return pair.orElseThrow();
    }

    /** From now on no worker reaches the records, and no answer reaches a worker. */
    void fence() {
        toRecords.forEach(CuttingProxy::refuseConnections);
        toRecords.forEach(CuttingProxy::resetAll);
    }

    /** Workers reach the primary of the moment, and only that. */
    void leadToPrimary() {
        for (CuttingProxy proxy : toRecords) {
            proxy.leadTo(recordsUrl());
            // Another thread may have let workers in meanwhile.
            int unused = proxy.resetAll();
            proxy.heal();
        }
    }

    /** Where records are; in all modes but the external ones, effects too. */
    PostgresServer records() {
        return records.get();
    }

    String recordsUrl() {
        return recordsUrl.get();
    }

    PostgresServer effects() {
        return effects.orElseThrow();
    }

    CuttingProxy toRecords(int slot) {
        return toRecords.get(slot);
    }

    /** The way to the effects; that to the records where both are in one database. */
    CuttingProxy toEffects(Mode mode, int slot) {
        return mode.isExternal() ? toEffects.get(slot) : toRecords.get(slot);
    }

    /** The address of the effects, past the proxies. */
    String effectsUrl(Mode mode) {
        return mode.isExternal() ? effects().jdbcUrl() : recordsUrl();
    }

    Jdbi recordsJdbi() {
        return recordsJdbi;
    }

    Jdbi effectsJdbi() {
        return effectsJdbi;
    }

    String serverVersion() {
        return recordsJdbi.withHandle(handle ->
                handle.select("SHOW server_version").mapTo(String.class).one());
    }

    String driverVersion() {
        return recordsJdbi.withHandle(handle -> handle.queryMetadata(DatabaseMetaData::getDriverVersion));
    }

    /** A record is inserted last only into a table without triggers. Nothing is purged in these modes. */
    void clear(Mode mode) {
        if (effects.isPresent()) {
            recordsJdbi.useHandle(handle -> handle.execute("ALTER TABLE idempotency_record "
                    + (mode.recordsLast() ? "DISABLE" : "ENABLE") + " TRIGGER removed"));
        }
        recordsJdbi.useHandle(handle -> handle.execute("TRUNCATE effect, booking, removed, idempotency_record"));
        effectsJdbi.useHandle(handle -> handle.execute("TRUNCATE effect"));
    }

    /** Lets everything pass again. */
    void heal() {
        pair.ifPresent(ReplicatedPostgres::passLog);
        toRecords.forEach(CuttingProxy::heal);
        toEffects.forEach(CuttingProxy::heal);
    }

    /** Waits until nothing that a worker has begun is under way in a server. */
    void awaitCalm() throws InterruptedException {
        toRecords.forEach(CuttingProxy::closeAll);
        toEffects.forEach(CuttingProxy::closeAll);
        int before = Integer.MAX_VALUE;
        long lastEnd = System.nanoTime();
        for (int left = left(); left > 0; left = left()) {
            if (left < before) {
                before = left;
                lastEnd = System.nanoTime();
            } else if (System.nanoTime() - lastEnd > LONGEST_STANDSTILL.toNanos()) {
                throw new IllegalStateException(left + " connections of workers that are gone are still there, and none"
                        + " has ended for " + LONGEST_STANDSTILL);
            }
            Thread.sleep(10);
        }
        toRecords.forEach(CuttingProxy::resetCounts);
        toEffects.forEach(CuttingProxy::resetCounts);
    }

    private int left() {
        return backends(recordsJdbi).size() + backends(effectsJdbi).size();
    }

    /** The workers' connections, as the server sees them. */
    static List<Integer> backends(Jdbi jdbi) {
        return jdbi.withHandle(handle -> handle.select(
                        "SELECT pid FROM pg_stat_activity WHERE application_name = ? ORDER BY pid", Worker.APPLICATION)
                .mapTo(Integer.class)
                .list());
    }

    Findings findings(Mode mode) {
        return findings(recordsJdbi, mode.isExternal() ? effectsJdbi : recordsJdbi);
    }

    static Findings findings(Jdbi recordsAt, Jdbi effectsAt) {
        Map<String, List<String>> rows =
                effectsAt.withHandle(handle -> lists(handle, "SELECT key_value, payload FROM effect"));
        Map<String, List<String>> removed =
                recordsAt.withHandle(handle -> lists(handle, "SELECT key_value, state FROM removed"));
        Map<String, String> states = new HashMap<>();
        recordsAt.withHandle(handle -> lists(handle, RECORDS)).forEach((key, state) -> states.put(key, state.get(0)));
        return new Findings(rows, states, removed);
    }

    private static Map<String, List<String>> lists(Handle handle, String sql) {
        Map<String, List<String>> lists = new HashMap<>();
        handle.select(sql)
                .map((row, context) -> Map.entry(row.getString(1), row.getString(2)))
                .forEach(entry -> lists.computeIfAbsent(entry.getKey(), key -> new ArrayList<>())
                        .add(entry.getValue()));
        return lists;
    }

    @Override
    public void close() {
        toRecords.forEach(CuttingProxy::close);
        toEffects.forEach(CuttingProxy::close);
        if (effects.isEmpty()) {
            recordsJdbi.useHandle(handle -> handle.createScript(NONE_OF_THEM).execute());
            return;
        }
        pair.ifPresentOrElse(ReplicatedPostgres::close, () -> records().close());
        effects().close();
    }
}
