package io.counterpoint.idempotency.mariadb;

import org.jdbi.v3.core.Handle;

/** What the work of one call does, by the number of its key. */
final class StormWork {

    /** Of that many keys one is of each kind. */
    static final int KINDS = 16;

    private static final int REFUSED_RUNS = 100;

    /** Takes longer than the grace. */
    static final int LONG = 1;

    private static final int REFUSES = 3;
    private static final int REFUSES_AT_TIMES = 5;

    /** Succeeds at first, and refuses the runs that follow, of whatever call: what the first run did may still arrive. */
    static final int REFUSES_LATER = 7;

    /** Has to run again, and takes longer than the grace over all, but not from one heartbeat to the next. */
    static final int RUNS_AGAIN = 9;

    /** Takes as long as the grace. */
    static final int AS_LONG_AS_THE_GRACE = 11;

    private static final int LOST_BEFORE_ITS_EFFECT = 13;
    private static final int LOST_AFTER_ITS_EFFECT = 15;

    /** The work refuses. */
    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final boolean releases;

        Refused(boolean releases) {
            super("refused");
            this.releases = releases;
        }

        boolean releases() {
            return releases;
        }
    }

    /** The work has to run again, or nothing is known of it. */
    static final class Interrupted extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Interrupted() {
            super("interrupted");
        }
    }

    private final int kind;
    private final boolean refusesAtTimes;
    private int runs;

    StormWork(int number, String call) {
        this.kind = number % KINDS;
        this.refusesAtTimes = call.charAt(0) < '8';
    }

    /**
     * After its effect, in the same transaction.
     *
     * @param runsOfTheKey how often the work has run in all calls
     */
    void afterTheEffect(Handle handle, int runsOfTheKey) {
        runs++;
        switch (kind) {
            case LONG -> handle.execute("DO SLEEP(0.3)");
            case AS_LONG_AS_THE_GRACE -> handle.execute("DO SLEEP(0.15)");
            case RUNS_AGAIN -> {
                handle.execute("DO SLEEP(0.1)");
                if (runs == 1) {
                    throw new Interrupted();
                }
            }
            case REFUSES_LATER -> refuseIf(runsOfTheKey > 1 && runsOfTheKey <= REFUSED_RUNS, true);
            default -> refuse();
        }
    }

    /** Before its effect outside of the cluster. */
    void beforeTheEffectOutside() {
        refuse();
        if (kind == LOST_BEFORE_ITS_EFFECT) {
            throw new Interrupted();
        }
    }

    /** After its effect outside of the cluster. */
    void afterTheEffectOutside() {
        if (kind == LOST_AFTER_ITS_EFFECT) {
            throw new Interrupted();
        }
    }

    private void refuse() {
        refuseIf(kind == REFUSES, false);
        refuseIf(kind == REFUSES_AT_TIMES && refusesAtTimes, true);
    }

    private static void refuseIf(boolean refuses, boolean releases) {
        if (refuses) {
            throw new Refused(releases);
        }
    }
}
