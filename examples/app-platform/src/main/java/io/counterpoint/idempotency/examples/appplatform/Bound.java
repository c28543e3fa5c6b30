package io.counterpoint.idempotency.examples.appplatform;

import java.time.Duration;

/**
 * The declared promise of an eventually consistent part.
 *
 * @param part its name
 * @param by how it follows changes
 * @param duplicates what a duplicate event does
 * @param lag how far behind it may be
 */
record Bound(String part, String by, String duplicates, Duration lag) {}
