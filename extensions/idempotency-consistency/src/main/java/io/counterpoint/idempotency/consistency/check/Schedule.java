package io.counterpoint.idempotency.consistency.check;

import java.time.Duration;
import java.time.Instant;

/**
 * Divides time into slots of equal length, the same on every node; a check runs once in each slot. Slots begin at whole
 * periods from a Monday at midnight UTC, so days begin at midnight and weeks on Mondays.
 *
 * @param period the length of a slot, from a second to 366 days
 */
public record Schedule(Duration period) {

    private static final Instant A_MONDAY = Instant.parse("1970-01-05T00:00:00Z");

    /**
     * Checks the length.
     *
     * @param period the length of a slot
     * @throws IllegalArgumentException if it is out of range
     */
    public Schedule {
        if (period.compareTo(Duration.ofSeconds(1)) < 0 || period.compareTo(Duration.ofDays(366)) > 0) {
            throw new IllegalArgumentException("A slot must be between 1 second and 366 days, found " + period + ".");
        }
    }

    /**
     * Once an hour.
     *
     * @return the schedule
     */
    public static Schedule hourly() {
        return new Schedule(Duration.ofHours(1));
    }

    /**
     * Once a day.
     *
     * @return the schedule
     */
    public static Schedule daily() {
        return new Schedule(Duration.ofDays(1));
    }

    /**
     * Once a week.
     *
     * @return the schedule
     */
    public static Schedule weekly() {
        return new Schedule(Duration.ofDays(7));
    }

    /**
     * Returns the slot that contains an instant.
     *
     * @param moment the instant
     * @return the start of the slot
     */
    public Instant slot(Instant moment) {
        Duration since = Duration.between(A_MONDAY, moment);
        long slots = since.dividedBy(period);
        Instant begin = A_MONDAY.plus(period.multipliedBy(slots));
        return begin.isAfter(moment) ? begin.minus(period) : begin;
    }
}
