package io.counterpoint.idempotency.torture;

/**
 * How often what happens: the mean pause between two, in milliseconds; zero for never.
 *
 * @param cut for each worker by itself
 * @param workers how many there are at a time
 * @param keysPerKill how many keys at least there are between two kills
 * @param keysPerCrash how many keys at least there are between two crashes
 * @param failover for stages that have a standby
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

    /** What every mode gets. */
    static final Rates ALL = new Rates(500, 800, 400, 2_000, 400, 100, 4, 90, 550, 0);

    /** The same, for the shortest of segments. */
    static final Rates HASTY = new Rates(700, 600, 300, 1_800, 300, 100, 4, 0, 0, 0);

    /** For mutants: what most of them do not survive. */
    static final Rates CUTS_AND_STOPS = new Rates(1_500, 200, 1_000, 0, 0, 150, 2, 0, 0, 0);

    /** For mutants that only a crash brings to light. */
    static final Rates CRASHES = new Rates(0, 0, 0, 250, 0, 1_000, 2, 0, 0, 0);

    /** Where there is a standby. Nobody else ends backends, so that it is known which waits were broken, and when. */
    static final Rates FAILOVERS = new Rates(1_500, 0, 0, 0, 600, 250, 3, 0, 0, 700);

    /** For mutants that only a failover brings to light. */
    static final Rates NOTHING_BUT_FAILOVERS = new Rates(0, 0, 0, 0, 0, 0, 3, 0, 0, 700);
}
