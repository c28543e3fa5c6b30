/**
 * The program that tries to break it: creates groups from a file of requests, with and without the library, loses
 * messages on purpose, and counts in the database and among the members what came of it.
 */
@NullMarked
package io.counterpoint.idempotency.examples.groupcreation.breaker;

import org.jspecify.annotations.NullMarked;
