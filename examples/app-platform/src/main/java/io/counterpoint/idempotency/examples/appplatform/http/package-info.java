/** The program's HTTP server and client. */
@NullMarked
package io.counterpoint.idempotency.examples.appplatform.http;

import org.jspecify.annotations.NullMarked;
