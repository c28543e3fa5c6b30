/**
 * What domain code gets of a transaction: objects of JDBC that cannot end it, and that end with the work. Most are
 * generated: {@code src/build/java/GuardGenerator.java} writes a class for each type.
 */
@NullMarked
package io.counterpoint.idempotency.jdbc.guard;

import org.jspecify.annotations.NullMarked;
