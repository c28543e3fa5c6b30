/**
 * The program that tries to break the example: it creates groups from a file of requests, with and without the library,
 * loses messages on purpose, and counts the results in the database and among the members.
 */
@NullMarked
package io.counterpoint.idempotency.examples.groupcreation.breaker;

import org.jspecify.annotations.NullMarked;
