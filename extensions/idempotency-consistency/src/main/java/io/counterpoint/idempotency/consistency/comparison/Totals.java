package io.counterpoint.idempotency.consistency.comparison;

/**
 * What a comparison has counted.
 *
 * @param oldRows rows of the old source
 * @param newRows rows of the new source
 * @param missingInOld confirmed findings of this kind
 * @param missingInNew confirmed findings of this kind
 * @param different confirmed findings of this kind
 * @param dismissed suspects that were equal when they were read again: writes in flight
 * @param undecided suspects that changed each time they were read again, until the comparison gave up on them; neither
 *     confirmed nor dismissed
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
     * All confirmed findings.
     *
     * @return their number
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
