package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.consistency.comparison.Journal.Checkpoint;
import io.counterpoint.idempotency.consistency.comparison.Suspects.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A call that starts or continues a run and finishes it. */
final class Scan<K> implements Suspects.Verdict<K> {

    /** A checkpoint is one small transaction; a killed run repeats only what followed the last one. */
    private static final int PAIRS_BETWEEN_CHECKPOINTS = 10_000;

    private static final int MOST_FINDINGS_BETWEEN_CHECKPOINTS = 1_000;

    private static final int PAIRS_BETWEEN_STEPS = 250;

    private final KeyOrder<K> order;
    private final RowComparer<K> comparer;
    private final Merge<K> merge;
    private final Suspects<K> suspects;
    private final Journal.Run run;
    private final Pace pace;
    private final ComparisonSettings<K> comparison;
    private final List<Finding<String>> findings = new ArrayList<>();
    private Totals totals;
    private final boolean continued;
    private @Nullable K lastKey;
    private long oldRows;
    private long newRows;

    Scan(ComparisonSettings<K> comparison, Journal.Run run) {
        Checkpoint start = run.start();
        this.comparison = comparison;
        this.run = run;
        this.order = comparison.sides().order();
        this.comparer = comparison.comparer();
        this.suspects = comparison.newSuspects();
        this.pace = comparison.newPace();
        this.totals = start.totals();
        this.oldRows = totals.oldRows();
        this.newRows = totals.newRows();
        Optional<K> mark = start.mark().map(order::parse);
        this.continued = mark.isPresent();
        this.lastKey = mark.orElse(null);
        this.merge = new Merge<>(comparison.sides(), mark, comparison.pageSize());
    }

    ComparisonReport<K> finish() {
        int sinceCheckpoint = 0;
        for (Merge.Pair<K> pair = merge.next(); pair != null; pair = merge.next()) {
            Finding<K> difference = comparer.compare(pair.key(), pair.old(), pair.replacement());
            if (difference != null) {
                suspect(difference);
            }
            lastKey = pair.key();
            oldRows += pair.old() == null ? 0 : 1;
            newRows += pair.replacement() == null ? 0 : 1;
            if (++sinceCheckpoint % PAIRS_BETWEEN_STEPS == 0) {
                pace.step(this::progress);
            }
            if (sinceCheckpoint == PAIRS_BETWEEN_CHECKPOINTS || findings.size() >= MOST_FINDINGS_BETWEEN_CHECKPOINTS) {
                sinceCheckpoint = 0;
                suspects.look(this);
                checkpoint(false);
            }
        }
        while (!suspects.isEmpty()) {
            awaitAndLook();
            checkpoint(false);
        }
        checkpoint(true);
        return new ComparisonReport<>(comparison, totals, continued, pace.elapsed());
    }

    private void suspect(Finding<K> difference) {
        while (suspects.isFull()) {
            awaitAndLook();
            checkpoint(false);
        }
        suspects.add(difference, read());
    }

    private void awaitAndLook() {
        pace.await(suspects.untilDue(), this::progress);
        suspects.look(this);
    }

    private void checkpoint(boolean finished) {
        Position<K> mark = suspects.mark(read());
        totals = totals.read(mark.oldRows(), mark.newRows());
        run.advance(new Checkpoint(mark.key().map(order::print), totals, finished), findings);
        findings.clear();
    }

    private Position<K> read() {
        return new Position<>(Optional.ofNullable(lastKey), oldRows, newRows);
    }

    private ComparisonProgress progress() {
        return new ComparisonProgress(
                comparison.name(), "compare", oldRows, newRows, suspects.size(), totals.findings(), pace.elapsed());
    }

    @Override
    public void confirmed(Finding<K> finding) {
        totals = totals.plus(finding);
        findings.add(finding.withKey(order::print));
    }

    @Override
    public void dismissed(K key) {
        totals = totals.plusDismissed();
    }

    @Override
    public void undecided(K key) {
        totals = totals.plusUndecided();
    }
}
