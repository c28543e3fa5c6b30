package io.counterpoint.idempotency.consistency.comparison;

/**
 * The counts of a comparison.
 *
 * @param oldRows rows of the old source
 * @param newRows rows of the new source
 * @param missingInOld confirmed findings of this kind
 * @param missingInNew confirmed findings of this kind
 * @param different confirmed findings of this kind
 * @param dismissed suspects that no longer differed when they were read again: writes in flight
 * @param undecided suspects whose rows kept changing until the comparison gave up on them; neither confirmed nor
 *     dismissed
 */
public record Totals(
        long oldRows,
        long newRows,
        long missingInOld,
        long missingInNew,
        long different,
        long dismissed,
        long undecided) {

    static final Totals NONE = new Totals(0, 0, 0, 0, 0, 0, 0);

    /**
     * Returns the number of all confirmed findings.
     *
     * @return the number
     */
    public long findings() {
        return missingInOld + missingInNew + different;
    }

    Totals read(long oldRowsNow, long newRowsNow) {
        return new Totals(oldRowsNow, newRowsNow, missingInOld, missingInNew, different, dismissed, undecided);
    }

    Totals plus(Finding<?> finding) {
        return finding.fold(
                old -> new Totals(oldRows, newRows, missingInOld + 1, missingInNew, different, dismissed, undecided),
                replacement ->
                        new Totals(oldRows, newRows, missingInOld, missingInNew + 1, different, dismissed, undecided),
                both -> new Totals(oldRows, newRows, missingInOld, missingInNew, different + 1, dismissed, undecided));
    }

    Totals plusDismissed() {
        return new Totals(oldRows, newRows, missingInOld, missingInNew, different, dismissed + 1, undecided);
    }

    Totals plusUndecided() {
        return new Totals(oldRows, newRows, missingInOld, missingInNew, different, dismissed, undecided + 1);
    }
}
