/** The inbox as a spring-kafka listener. */
@NullMarked
package io.counterpoint.idempotency.inbox.spring;

import org.jspecify.annotations.NullMarked;
