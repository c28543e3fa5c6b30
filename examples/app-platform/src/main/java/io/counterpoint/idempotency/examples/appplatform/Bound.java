package io.counterpoint.idempotency.examples.appplatform;

import java.time.Duration;

/**
 * What an eventually consistent part promises, declared once.
 *
 * @param part its name
 * @param by how it follows
 * @param duplicates what becomes of an event that comes twice
 * @param lag how far it may be behind
 */
record Bound(String part, String by, String duplicates, Duration lag) {}
