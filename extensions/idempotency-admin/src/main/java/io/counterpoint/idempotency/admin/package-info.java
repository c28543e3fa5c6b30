/** Administration for operators. The command line and the endpoint of Spring Boot use it. */
@NullMarked
package io.counterpoint.idempotency.admin;

import org.jspecify.annotations.NullMarked;
