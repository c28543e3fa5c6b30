package io.counterpoint.idempotency.consistency.comparison;

import java.util.List;
import java.util.Optional;

/**
 * Stores a comparison's progress and findings, so that another process can continue it after a crash. It keeps the
 * latest run of each comparison.
 */
public interface Journal {

    /**
     * Continues the unfinished run, or starts a new one and discards the previous one. From then on, earlier holders of
     * the run can no longer write to it.
     *
     * @param comparison the name of the comparison
     * @param fresh whether to always start a new one
     * @return the run
     */
    Run open(String comparison, boolean fresh);

    /**
     * Returns findings of the latest run, in key order.
     *
     * @param comparison the name of the comparison
     * @param skip the number of findings to skip
     * @param limit the maximum number of findings
     * @return the findings, with their keys as text
     */
    List<Finding<String>> findings(String comparison, long skip, int limit);

    /**
     * Returns a journal that lasts as long as the process and keeps the first 10,000 findings of each comparison.
     *
     * @return the journal
     */
    static Journal inMemory() {
        return new InMemoryJournal();
    }

    /** A run that this process may write to. */
    interface Run {

        /**
         * Returns where to continue.
         *
         * @return the last checkpoint, or the first of a new run
         */
        Checkpoint start();

        /**
         * Atomically records a checkpoint and the findings since the previous one.
         *
         * @param reached the checkpoint
         * @param findings the findings since the last checkpoint, in order
         * @throws SupersededException if another caller has opened the run in the meantime
         */
        void advance(Checkpoint reached, List<Finding<String>> findings);
    }

    /**
     * The progress of a run: no key up to the mark will be examined again in this run.
     *
     * @param mark the last such key as text; empty at the beginning
     * @param totals the counts up to there
     * @param finished whether the run is complete
     */
    record Checkpoint(Optional<String> mark, Totals totals, boolean finished) {}
}
