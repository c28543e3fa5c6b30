/** Administration for operators, used by the command line and the Spring Boot endpoint. */
@NullMarked
package io.counterpoint.idempotency.admin;

import org.jspecify.annotations.NullMarked;
