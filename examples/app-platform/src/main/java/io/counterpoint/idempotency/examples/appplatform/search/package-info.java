/** Full-text search of apps, to copy: it needs Lucene and nothing else. */
@NullMarked
package io.counterpoint.idempotency.examples.appplatform.search;

import org.jspecify.annotations.NullMarked;
