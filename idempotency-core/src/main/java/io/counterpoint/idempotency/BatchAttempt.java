package io.counterpoint.idempotency;

/**
 * An attempt of a batch whose work is to be done now.
 *
 * @param index its place in the list that the caller gave, from 0
 * @param attempt the attempt
 */
public record BatchAttempt(int index, Attempt attempt) {}
