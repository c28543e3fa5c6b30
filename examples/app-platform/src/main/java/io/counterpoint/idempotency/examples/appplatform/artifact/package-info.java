/** A folder of artifacts, to copy: it needs nothing else. */
@NullMarked
package io.counterpoint.idempotency.examples.appplatform.artifact;

import org.jspecify.annotations.NullMarked;
