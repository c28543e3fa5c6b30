package io.counterpoint.idempotency.torture;

/**
 * How often things happen: the mean pause between two events, in milliseconds; zero for never.
 *
 * @param cut per worker
 * @param workers the number of workers at a time
 * @param keysPerKill the minimum number of new keys between two kills
 * @param keysPerCrash the minimum number of new keys between two crashes
 * @param failover for environments with a standby
 */
record Rates(
        int kill,
        int stop,
        int terminate,
        int crash,
        int lock,
        int cut,
        int workers,
        int keysPerKill,
        int keysPerCrash,
        int failover) {

    /** The rates for every mode. */
    static final Rates ALL = new Rates(500, 800, 400, 2_000, 400, 100, 4, 90, 550, 0);

    /** The same, for very short segments. */
    static final Rates HASTY = new Rates(700, 600, 300, 1_800, 300, 100, 4, 0, 0, 0);

    /** For most mutants. */
    static final Rates CUTS_AND_STOPS = new Rates(1_500, 200, 1_000, 0, 0, 150, 2, 0, 0, 0);

    /** For mutants that only a crash reveals. */
    static final Rates CRASHES = new Rates(0, 0, 0, 250, 0, 1_000, 2, 0, 0, 0);

    /**
     * For environments with a standby. Nothing else terminates backends, so it is known which waits were broken, and
     * when.
     */
    static final Rates FAILOVERS = new Rates(1_500, 0, 0, 0, 600, 250, 3, 0, 0, 700);

    /** For mutants that only a failover reveals. */
    static final Rates NOTHING_BUT_FAILOVERS = new Rates(0, 0, 0, 0, 0, 0, 3, 0, 0, 700);
}
