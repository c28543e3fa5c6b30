package io.counterpoint.idempotency.benchmarks;

/**
 * The findings of one subcommand, which are one section of the documentation and of the results.
 *
 * @param name the subcommand
 * @param command the command that repeats it
 * @param date when it was measured
 * @param machine where it was measured
 * @param found the worst of all runs
 */
record Section(String name, String title, String command, String date, String machine, Findings found) {}
