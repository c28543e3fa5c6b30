package io.counterpoint.idempotency.torture;

import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.DatabaseServer;
import io.counterpoint.idempotency.testing.ReplicatedPostgres;
import io.counterpoint.idempotency.testing.StatementProxy;
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
import org.jdbi.v3.core.statement.MetaData.MetaDataValueProvider;

/** Two servers, the proxies in front of them, and their tables. The records' server may have a standby. */
final class Environment implements AutoCloseable {

    /** Long enough for servers on a busy machine: only a connection that nothing ends lasts this long. */
    private static final Duration LONGEST_STANDSTILL = Duration.ofMinutes(2);

    /**
     * No unique key, so that a second effect is possible and visible; a list of what a purge deleted; and two rows that
     * the work locks to provoke deadlocks.
     */
    private static final String EFFECTS = """
            CREATE TABLE effect (key_value varchar(100) NOT NULL, payload varchar(100) NOT NULL);
            CREATE INDEX effect_key ON effect (key_value);
            CREATE INDEX effect_payload ON effect (payload);
            CREATE TABLE removed (key_value varchar(255) NOT NULL, state char(1) NOT NULL);
            CREATE TABLE contended (id int PRIMARY KEY, hits int NOT NULL);
            INSERT INTO contended VALUES (0, 0), (1, 0);
            """;

    private static final String NOTE_REMOVED = """
            CREATE FUNCTION note_removed() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN INSERT INTO removed VALUES (OLD.key_value, OLD.state); RETURN OLD; END'
            """;

    private static final List<String> TABLES = List.of("effect", "removed", "idempotency_record");

    /**
     * A separate state for pending records of effects in the database that nobody may run again before an operator has
     * checked.
     */
    private static final String RECORDS =
            "SELECT key_value, CASE WHEN state = 'P' AND protocol = 'E' THEN 'E' ELSE state END FROM idempotency_record";

    private final Engine engine;
    private final Isolation isolation;
    private final Optional<ReplicatedPostgres> pair;
    private final Supplier<? extends DatabaseServer<?>> records;
    private final Supplier<String> recordsUrl;
    private final DatabaseServer<?> effects;
    private final String effectsUrl;
    private final Jdbi recordsJdbi;
    private final Jdbi effectsJdbi;
    private final List<StatementProxy> toRecords = new ArrayList<>();
    private final List<StatementProxy> toEffects = new ArrayList<>();

    private Environment(
            Engine engine,
            Isolation isolation,
            int slots,
            Optional<ReplicatedPostgres> pair,
            Supplier<? extends DatabaseServer<?>> records,
            Supplier<String> recordsUrl,
            DatabaseServer<?> effects) {
        this.engine = engine;
        this.isolation = isolation;
        this.pair = pair;
        this.records = records;
        this.recordsUrl = recordsUrl;
        this.effects = effects;
        this.effectsUrl = Engine.database(effects);
        this.recordsJdbi = Jdbi.create(() -> DriverManager.getConnection(recordsUrl()));
        this.effectsJdbi = Jdbi.create(effectsUrl);
        JdbiIdempotencyStore unused = JdbiIdempotencyStore.on(recordsJdbi).createTableIfMissing();
        createTables(recordsJdbi);
        if (engine == Engine.POSTGRESQL) {
            recordsJdbi.useHandle(handle -> handle.execute(NOTE_REMOVED));
        }
        createTables(effectsJdbi);
        for (int slot = 0; slot < slots; slot++) {
            toRecords.add(engine.proxy(recordsUrl()));
            toEffects.add(engine.proxy(effectsUrl));
        }
    }

    /** The tables of effects and of what a purge deleted. The records' tables are in the same database. */
    static void createTables(Jdbi jdbi) {
        jdbi.useHandle(handle -> handle.createScript(EFFECTS).execute());
    }

    static Environment alone(Engine engine, Isolation isolation, int slots) {
        DatabaseServer<?> records = engine.start(isolation);
        String url = Engine.database(records);
        return new Environment(
                engine, isolation, slots, Optional.empty(), () -> records, () -> url, engine.start(isolation));
    }

    /** Includes a synchronous standby. */
    static Environment replicated(Isolation isolation, int slots) {
        ReplicatedPostgres pair = ReplicatedPostgres.start();
        Environment stage = new Environment(
                Engine.POSTGRESQL,
                isolation,
                slots,
                Optional.of(pair),
                pair::primary,
                () -> pair.primary().jdbcUrl(),
                Engine.POSTGRESQL.start(isolation));
        pair.waitForStandby();
        return stage;
    }

    ReplicatedPostgres pair() {
        return pair.orElseThrow();
    }

    /** From now on, no worker reaches the records, and no reply reaches a worker. */
    void fence() {
        toRecords.forEach(StatementProxy::refuseConnections);
        toRecords.forEach(StatementProxy::resetAll);
    }

    /** Routes workers to the current primary only. */
    void leadToPrimary() {
        for (StatementProxy proxy : toRecords) {
            proxy.leadTo(recordsUrl());
            // Another thread may have admitted workers meanwhile.
            int unused = proxy.resetAll();
            proxy.heal();
        }
    }

    Engine engine() {
        return engine;
    }

    /** The isolation level at which all sessions begin. */
    Isolation isolation() {
        return isolation;
    }

    /** The server with the records and, in most modes, the effects. */
    DatabaseServer<?> records() {
        return records.get();
    }

    String recordsUrl() {
        return recordsUrl.get();
    }

    DatabaseServer<?> effects() {
        return effects;
    }

    StatementProxy toRecords(int slot) {
        return toRecords.get(slot);
    }

    /** The proxy to the effects. It is the proxy to the records if both are in one database. */
    StatementProxy toEffects(Mode mode, int slot) {
        return mode.hasEffectsElsewhere() ? toEffects.get(slot) : toRecords.get(slot);
    }

    /** The URL of the effects, bypassing the proxies. */
    String effectsUrl(Mode mode) {
        return mode.hasEffectsElsewhere() ? effectsUrl : recordsUrl();
    }

    Jdbi recordsJdbi() {
        return recordsJdbi;
    }

    Jdbi effectsJdbi() {
        return effectsJdbi;
    }

    /** The product and its version. */
    String serverVersion() {
        return metadata(DatabaseMetaData::getDatabaseProductName) + " "
                + metadata(DatabaseMetaData::getDatabaseProductVersion);
    }

    String driverVersion() {
        return metadata(DatabaseMetaData::getDriverName) + " " + metadata(DatabaseMetaData::getDriverVersion);
    }

    private String metadata(MetaDataValueProvider<String> value) {
        return recordsJdbi.withHandle(handle -> handle.queryMetadata(value));
    }

    /** Records that are inserted last require a table without triggers. Nothing is purged in these modes. */
    void clear(Mode mode) {
        recordsJdbi.useHandle(handle -> {
            engine.noteRemoved(handle, !mode.recordsLast());
            TABLES.forEach(table -> handle.execute("TRUNCATE TABLE " + table));
        });
        effectsJdbi.useHandle(handle -> handle.execute("TRUNCATE TABLE effect"));
    }

    /** Lets everything pass again. */
    void heal() {
        pair.ifPresent(ReplicatedPostgres::passLog);
        toRecords.forEach(StatementProxy::heal);
        toEffects.forEach(StatementProxy::heal);
    }

    /** Waits until nothing that a worker has begun is running in a server. */
    void awaitCalm() throws InterruptedException {
        toRecords.forEach(StatementProxy::closeAll);
        toEffects.forEach(StatementProxy::closeAll);
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
    }

    private int left() {
        return engine.backends(recordsJdbi).size()
                + engine.backends(effectsJdbi).size();
    }

    Findings findings(Mode mode) {
        return findings(recordsJdbi, mode.hasEffectsElsewhere() ? effectsJdbi : recordsJdbi);
    }

    static Findings findings(Jdbi recordsAt, Jdbi effectsAt) {
        Map<String, List<String>> rows =
                effectsAt.withHandle(handle -> lists(handle, "SELECT key_value, payload FROM effect"));
        Map<String, List<String>> removed =
                recordsAt.withHandle(handle -> lists(handle, "SELECT key_value, state FROM removed"));
        Map<String, String> states = new HashMap<>();
        recordsAt.withHandle(handle -> lists(handle, RECORDS)).forEach((key, state) -> states.put(key, state.get(0)));
        return new Findings(rows, states, removed, Map.of(), Map.of());
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
        toRecords.forEach(StatementProxy::close);
        toEffects.forEach(StatementProxy::close);
        pair.ifPresentOrElse(ReplicatedPostgres::close, () -> records().close());
        effects.close();
    }
}
