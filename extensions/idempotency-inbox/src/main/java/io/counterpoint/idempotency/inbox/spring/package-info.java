/** The inbox as a listener of spring-kafka. */
@NullMarked
package io.counterpoint.idempotency.inbox.spring;

import org.jspecify.annotations.NullMarked;
