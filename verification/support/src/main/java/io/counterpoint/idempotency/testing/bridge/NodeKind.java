package io.counterpoint.idempotency.testing.bridge;

/**
 * A version of the service.
 *
 * @param name how the run names it
 * @param program the class of its {@code main}, which gets the database and the name
 * @param classes where classes are that stand before those of this process; may be empty
 * @param isOld whether it has the old key table alone, which has no request to compare
 */
public record NodeKind(String name, String program, String classes, boolean isOld) {}
