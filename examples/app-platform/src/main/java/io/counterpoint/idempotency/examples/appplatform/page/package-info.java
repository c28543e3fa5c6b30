/**
 * The page that shows the platform while it works and is broken: a server on loopback, its actions, and the events of
 * what happens. What it shows comes from tables, from answers and from processes.
 */
@NullMarked
package io.counterpoint.idempotency.examples.appplatform.page;

import org.jspecify.annotations.NullMarked;
