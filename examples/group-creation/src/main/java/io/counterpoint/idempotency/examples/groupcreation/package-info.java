/** Creates groups from a file of requests, with and without the library, and counts in the database what came of it. */
@NullMarked
package io.counterpoint.idempotency.examples.groupcreation;

import org.jspecify.annotations.NullMarked;
