/** A folder of artifacts, to copy; it depends on nothing else. */
@NullMarked
package io.counterpoint.idempotency.examples.appplatform.artifact;

import org.jspecify.annotations.NullMarked;
