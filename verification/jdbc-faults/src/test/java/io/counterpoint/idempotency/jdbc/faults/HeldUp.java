package io.counterpoint.idempotency.jdbc.faults;

import java.util.List;
import org.jdbi.v3.core.Handle;

/**
 * Holds up, on the server, the insert of a record that is sent with its COMMIT: before the insert meets its key, or between
 * the insert and the end of the COMMIT. The server waits for no lock meanwhile, so that no bound of a wait ends it.
 */
final class HeldUp implements AutoCloseable {

    private static final String FUNCTIONS = """
            CREATE FUNCTION goes_on() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
                WHILE NOT pg_try_advisory_xact_lock_shared(1) LOOP PERFORM pg_sleep(0.001); END LOOP;
                RETURN true;
            END $$;
            CREATE FUNCTION held_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                PERFORM goes_on();
                RETURN NULL;
            END $$""";

    private static final String VICTIM =
            " FROM pg_stat_activity WHERE datname = current_database()" + " AND application_name = 'victim' AND ";

    private static final String HELD_UP = "wait_event = 'PgSleep'";

    private final Bench bench;
    private final Handle intruder;

    /** Where the server is held up. */
    enum At {
        /** A condition of the table is met before the row meets its key. Claims pass. */
        INSERT("ALTER TABLE idempotency_record ADD CONSTRAINT held_up"
                + " CHECK (CASE WHEN protocol = 'S' THEN goes_on() ELSE true END)"),
        /** The record is inserted, and locked. */
        COMMIT("CREATE CONSTRAINT TRIGGER held_up AFTER INSERT ON effect DEFERRABLE INITIALLY DEFERRED"
                + " FOR EACH ROW EXECUTE FUNCTION held_up()");

        private final String sql;

        At(String sql) {
            this.sql = sql;
        }
    }

    private HeldUp(Bench bench, Handle intruder) {
        this.bench = bench;
        this.intruder = intruder;
    }

    static HeldUp at(At at, Bench bench) {
        bench.direct.useHandle(handle -> {
            handle.execute(FUNCTIONS);
            handle.execute(at.sql);
        });
        HeldUp heldUp = new HeldUp(bench, bench.direct.open());
        heldUp.intruder.execute("SELECT pg_advisory_lock(1)");
        return heldUp;
    }

    /** Waits until a statement of a caller under test is held up. */
    void await() {
        Bench.await("a statement is held up", () -> victims(bench, HELD_UP) > 0);
    }

    /** Waits until a claim of a caller under test waits for a lock. */
    static void awaitClaimThatWaits(Bench bench) {
        Bench.await(
                "a claim waits",
                () -> victims(bench, "wait_event_type = 'Lock' AND query LIKE 'INSERT INTO %idempotency_record%'") > 0);
    }

    private static int victims(Bench bench, String which) {
        return bench.direct.withHandle(handle -> handle.createQuery("SELECT count(*)" + VICTIM + which)
                .mapTo(Integer.class)
                .one());
    }

    void goOn() {
        intruder.execute("SELECT pg_advisory_unlock_all()");
    }

    /** The server ends the session that is held up, as an administrator does. Others go on. */
    void end() {
        await();
        int pid = bench.direct.withHandle(handle -> {
            List<Integer> pids = List.of();
            while (pids.isEmpty()) {
                pids = handle.createQuery("SELECT pid" + VICTIM + HELD_UP)
                        .mapTo(Integer.class)
                        .list();
            }
            handle.execute("SELECT pg_terminate_backend(?)", pids.get(0));
            return pids.get(0);
        });
        bench.awaitEndOfSession(pid);
        goOn();
    }

    @Override
    public void close() {
        intruder.close();
    }
}
