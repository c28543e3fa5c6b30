package io.counterpoint.idempotency.examples.consumer.breaker;

import org.jdbi.v3.core.Jdbi;

/**
 * The final contents of the payment and dead letter tables.
 *
 * @param booked rows in the payment table
 * @param distinct distinct payments in those rows
 * @param cents the sum of all rows
 * @param outOfOrder payments that were booked after a later one of the same account
 * @param letters dead letters
 * @param lettersOfPoison dead letters for payments that cannot be booked
 * @param copies rows that are a second effect
 */
record Verification(
        long booked, long distinct, long cents, long outOfOrder, long letters, long lettersOfPoison, long copies) {

    static Verification of(Jdbi jdbi) {
        return jdbi.withHandle(handle -> handle.createQuery("""
            SELECT (SELECT count(*) FROM payment) AS booked,
                (SELECT count(DISTINCT id) FROM payment) AS different,
                (SELECT coalesce(sum(cents), 0) FROM payment) AS cents,
                (SELECT count(*) FROM (SELECT number,
                        lag(number) OVER (PARTITION BY account ORDER BY seq) AS earlier FROM payment) pairs
                    WHERE number < earlier) AS disorder,
                (SELECT count(*) FROM inbox_dead_letter) AS letters,
                (SELECT count(*) FROM inbox_dead_letter WHERE reason = 'POISON') AS poison
            """)
                .map((row, context) -> new Verification(
                        row.getLong("booked"),
                        row.getLong("different"),
                        row.getLong("cents"),
                        row.getLong("disorder"),
                        row.getLong("letters"),
                        row.getLong("poison"),
                        row.getLong("booked") - row.getLong("different")))
                .one());
    }

    /** The sum of all payments that can be booked. */
    static long expectedCents(ConsumerBreakerOptions options) {
        long cents = 0;
        for (int number = 0; number < options.messages; number++) {
            cents += options.isPoison(number) ? 0 : 1 + number % 100;
        }
        return cents;
    }

    boolean passed(ConsumerBreakerOptions options) {
        long expected = (long) options.messages - options.poison();
        return booked == expected
                && distinct == expected
                && cents == expectedCents(options)
                && outOfOrder == 0
                && letters == options.poison()
                && lettersOfPoison == options.poison();
    }
}
