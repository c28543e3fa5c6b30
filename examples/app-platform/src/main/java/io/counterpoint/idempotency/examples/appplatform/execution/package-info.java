/** Runs executions: worker processes that consume a topic of the outbox, and the means to keep them running. */
@NullMarked
package io.counterpoint.idempotency.examples.appplatform.execution;

import org.jspecify.annotations.NullMarked;
