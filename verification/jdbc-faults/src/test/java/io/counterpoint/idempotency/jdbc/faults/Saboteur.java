package io.counterpoint.idempotency.jdbc.faults;

import java.util.List;
import java.util.concurrent.Future;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Makes PostgreSQL itself fail a caller's statement: triggers that run into what an intruder holds, that take too long, or
 * that end their own session. Nothing is raised by hand.
 */
final class Saboteur {

    private static final String DO_UNTIL_BLOCKING = """
            DO $$ BEGIN
                WHILE NOT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid)))
                LOOP PERFORM pg_sleep(0.001); END LOOP;
            END $$""";

    private final Jdbi direct;

    private Saboteur(Jdbi direct) {
        this.direct = direct;
    }

    /** Where it strikes. {@code MARK} is any change of a record to {@code Succeeded}. */
    enum At {
        CLAIM,
        DOMAIN,
        MARK,
        COMMIT,
        FAIL
    }

    /** How the server answers. */
    enum Fault {
        /** 40001: a row of the snapshot was changed by another transaction, which commits while ours waits for it. */
        SERIALIZATION_FAILURE,
        /** 40P01: we hold what another waits for, and want what it holds. */
        DEADLOCK,
        /** 55P03. */
        LOCK_TIMEOUT,
        /** 57014. */
        STATEMENT_TIMEOUT,
        /** 57014: {@code pg_cancel_backend}. */
        CANCELLED,
        /** 57P01: {@code pg_terminate_backend}, as an administrator or a failover does. */
        TERMINATED;

        static List<Fault> conflicts() {
            return List.of(SERIALIZATION_FAILURE, DEADLOCK);
        }
    }

    static Saboteur in(Bench bench) {
        bench.direct.useHandle(handle -> {
            handle.execute("CREATE TABLE rival (id int PRIMARY KEY, touched int NOT NULL)");
            handle.execute("INSERT INTO rival VALUES (1, 0)");
            handle.execute("CREATE TABLE sabotage (at text, fault text, times int)");
            handle.execute("CREATE SEQUENCE struck");
            handle.execute("""
                    CREATE FUNCTION sabotage() RETURNS trigger LANGUAGE plpgsql AS $$
                    DECLARE planned sabotage;
                    BEGIN
                        SELECT * INTO planned FROM sabotage WHERE at = TG_ARGV[0];
                        IF planned IS NULL OR nextval('struck') > planned.times THEN RETURN NEW; END IF;
                        CASE planned.fault
                            WHEN 'SERIALIZATION_FAILURE' THEN UPDATE rival SET touched = touched + 1 WHERE id = 1;
                            WHEN 'DEADLOCK' THEN
                                PERFORM pg_advisory_xact_lock(1);
                                WHILE NOT EXISTS (SELECT FROM pg_locks
                                        WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid)))
                                LOOP PERFORM pg_sleep(0.001); END LOOP;
                                PERFORM pg_advisory_xact_lock(2);
                            WHEN 'LOCK_TIMEOUT' THEN PERFORM 1 FROM rival WHERE id = 1 FOR UPDATE NOWAIT;
                            WHEN 'STATEMENT_TIMEOUT' THEN PERFORM pg_sleep(60);
                            WHEN 'CANCELLED' THEN
                                PERFORM pg_cancel_backend(pg_backend_pid());
                                PERFORM pg_sleep(60);
                            WHEN 'TERMINATED' THEN PERFORM pg_terminate_backend(pg_backend_pid());
                        END CASE;
                        RETURN NEW;
                    END $$""");
            trigger(handle, At.CLAIM, "BEFORE INSERT ON idempotency_record FOR EACH ROW WHEN (NEW.state <> 'F')");
            trigger(
                    handle,
                    At.FAIL,
                    "BEFORE INSERT OR UPDATE ON idempotency_record FOR EACH ROW WHEN (NEW.state = 'F')");
            trigger(handle, At.MARK, "BEFORE UPDATE ON idempotency_record FOR EACH ROW WHEN (NEW.state = 'S')");
            trigger(handle, At.DOMAIN, "BEFORE INSERT ON effect FOR EACH ROW");
            trigger(handle, At.COMMIT, "AFTER INSERT ON effect DEFERRABLE INITIALLY DEFERRED FOR EACH ROW");
            handle.execute("ALTER DATABASE %s SET deadlock_timeout = '10ms'"
                    .formatted(handle.createQuery("SELECT current_database()")
                            .mapTo(String.class)
                            .one()));
        });
        return new Saboteur(bench.direct);
    }

    private static void trigger(Handle handle, At at, String when) {
        handle.execute("CREATE %s TRIGGER sabotage_%s %s EXECUTE FUNCTION sabotage('%s')"
                .formatted(at == At.COMMIT ? "CONSTRAINT" : "", at, when, at));
    }

    /** Lets the next statements there fail, so often. */
    Intrusion strikes(At at, Fault fault, int times) {
        direct.useHandle(handle -> {
            handle.execute("DELETE FROM sabotage");
            handle.execute("ALTER SEQUENCE struck RESTART");
            handle.execute("INSERT INTO sabotage VALUES (?, ?, ?)", at.name(), fault.name(), times);
        });
        return new Intrusion(fault);
    }

    Intrusion strikesOnce(At at, Fault fault) {
        return strikes(at, fault, 1);
    }

    /** Another transaction that is in the way, until this is closed. */
    final class Intrusion implements AutoCloseable {
        private final Handle intruder = direct.open();
        private final Future<Boolean> met;

        private Intrusion(Fault fault) {
            intruder.begin();
            met = switch (fault) {
                case SERIALIZATION_FAILURE -> {
                    intruder.execute("UPDATE rival SET touched = touched + 1 WHERE id = 1");
                    yield Bench.begin(this::commitWhenWaitedFor);
                }
                case DEADLOCK -> {
                    intruder.execute("SET LOCAL deadlock_timeout = '1min'");
                    intruder.execute("SELECT pg_advisory_xact_lock(2)");
                    yield Bench.begin(this::wantWhatTheVictimHolds);
                }
                case LOCK_TIMEOUT -> {
                    intruder.execute("SELECT FROM rival WHERE id = 1 FOR UPDATE");
                    yield Bench.begin(() -> true);
                }
                case STATEMENT_TIMEOUT, CANCELLED, TERMINATED -> Bench.begin(() -> true);
            };
        }

        private boolean commitWhenWaitedFor() {
            intruder.execute(DO_UNTIL_BLOCKING);
            intruder.commit();
            return true;
        }

        private boolean wantWhatTheVictimHolds() {
            intruder.execute("""
                    DO $$ BEGIN
                        WHILE NOT EXISTS (SELECT FROM pg_locks WHERE granted AND locktype = 'advisory' AND objid = 1)
                        LOOP PERFORM pg_sleep(0.001); END LOOP;
                        PERFORM pg_advisory_xact_lock(1);
                    END $$""");
            intruder.commit();
            return true;
        }

        /** Ends it; fails if the fault has not occurred. */
        @Override
        public void close() {
            Bench.end(met);
            if (intruder.isInTransaction()) {
                intruder.rollback();
            }
            intruder.close();
            direct.useHandle(handle -> {
                if (handle.createQuery("SELECT NOT is_called FROM struck")
                        .mapTo(Boolean.class)
                        .one()) {
                    throw new AssertionError("Nobody came to where the fault was to happen");
                }
                handle.execute("DELETE FROM sabotage");
            });
        }
    }
}
