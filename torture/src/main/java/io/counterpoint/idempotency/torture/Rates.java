package io.counterpoint.idempotency.torture;

/**
 * How often what happens: the mean pause between two, in milliseconds; zero for never.
 *
 * @param cut for each worker by itself
 */
record Rates(int kill, int stop, int terminate, int crash, int lock, int cut) {

    /** What every mode gets. */
    static final Rates ALL = new Rates(1_000, 800, 400, 3_000, 400, 200);

    /** The same, for the shortest of segments. */
    static final Rates HASTY = new Rates(700, 600, 300, 1_400, 300, 120);
}
