/** Runs executions: worker processes that consume a topic of the outbox, and what keeps them running. */
@NullMarked
package io.counterpoint.idempotency.examples.appplatform.execution;

import org.jspecify.annotations.NullMarked;
