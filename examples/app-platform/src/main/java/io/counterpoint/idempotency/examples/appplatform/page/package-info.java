/**
 * The page that shows the platform at work and breaks it: a loopback server, its actions, and a stream of events.
 * Everything that it shows comes from tables, responses and processes.
 */
@NullMarked
package io.counterpoint.idempotency.examples.appplatform.page;

import org.jspecify.annotations.NullMarked;
