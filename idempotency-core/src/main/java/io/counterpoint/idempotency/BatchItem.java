package io.counterpoint.idempotency;

/**
 * One attempt of a batch, as it is passed to the work.
 *
 * @param index its index in the caller's list, from 0
 * @param attempt the attempt
 */
public record BatchItem(int index, Attempt attempt) {}
