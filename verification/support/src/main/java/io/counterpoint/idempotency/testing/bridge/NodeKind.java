package io.counterpoint.idempotency.testing.bridge;

/**
 * A version of the service.
 *
 * @param name its name in the run
 * @param program the class with its {@code main}, whose arguments are the database and the name
 * @param classes a path of classes that take precedence over those of this process; may be empty
 * @param isOld whether it uses only the old key table, which has no request to compare
 */
public record NodeKind(String name, String program, String classes, boolean isOld) {}
