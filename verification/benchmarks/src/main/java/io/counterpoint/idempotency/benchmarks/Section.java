package io.counterpoint.idempotency.benchmarks;

/**
 * What one subcommand has found: one part of the documentation, and of the results.
 *
 * @param name of the subcommand
 * @param command how to get it again
 * @param date when it was measured
 * @param machine where it was measured
 * @param found the worst of all runs
 */
record Section(String name, String title, String command, String date, String machine, Findings found) {}
