/**
 * The JDBC objects passed to domain code, which cannot end the transaction and become unusable with the end of the
 * work. Most are generated: {@code src/build/java/GuardGenerator.java} writes a class for each type.
 */
@NullMarked
package io.counterpoint.idempotency.jdbc.guard;

import org.jspecify.annotations.NullMarked;
