package io.counterpoint.idempotency.consistency.comparison;

import java.util.List;
import java.util.Optional;

/**
 * Stores a comparison's progress and findings, so that another process can continue it after a crash. Of each
 * comparison it keeps the latest run.
 */
public interface Journal {

    /**
     * Continues the unfinished run, or starts a new one and discards the previous one. From then on no earlier holder
     * of the run can write to it.
     *
     * @param comparison the name of the comparison
     * @param fresh whether to begin a new one in any case
     * @return the run
     */
    Run open(String comparison, boolean fresh);

    /**
     * Findings of the latest run, in the order of their keys.
     *
     * @param comparison the name of the comparison
     * @param skip how many to leave out at the beginning
     * @param limit at most so many
     * @return the findings, with the texts of their keys
     */
    List<Finding<String>> findings(String comparison, long skip, int limit);

    /**
     * A journal that ends with the process, and keeps the first 10,000 findings of each comparison.
     *
     * @return the journal
     */
    static Journal inMemory() {
        return new InMemoryJournal();
    }

    /** A run that this process may write to. */
    interface Run {

        /**
         * From where to go on.
         *
         * @return the last checkpoint, or the first of a new run
         */
        Checkpoint start();

        /**
         * Writes down a checkpoint and the findings since the one before, both or nothing.
         *
         * @param reached how far everything is done
         * @param findings those since the last checkpoint, in order
         * @throws SupersededException if another caller has opened the run meanwhile
         */
        void advance(Checkpoint reached, List<Finding<String>> findings);
    }

    /**
     * How far everything is done: no key up to the mark will be looked at again in this run.
     *
     * @param mark the text of the last such key; empty at the beginning
     * @param totals what was counted up to there
     * @param finished whether that is all
     */
    record Checkpoint(Optional<String> mark, Totals totals, boolean finished) {}
}
