package io.counterpoint.idempotency;

/**
 * One attempt of a batch, as it is passed to the work.
 *
 * @param index its place in the list that the caller gave, from 0
 * @param attempt the attempt
 */
public record BatchItem(int index, Attempt attempt) {}
