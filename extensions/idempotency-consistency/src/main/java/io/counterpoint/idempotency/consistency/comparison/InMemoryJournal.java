package io.counterpoint.idempotency.consistency.comparison;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A journal for comparisons that start over when the process restarts. */
final class InMemoryJournal implements Journal {

    private static final int MOST_FINDINGS = 10_000;

    private final Map<String, Kept> runs = new HashMap<>();

    private static final class Kept {
        Checkpoint checkpoint = new Checkpoint(Optional.empty(), Totals.NONE, false);
        final List<Finding<String>> findings = new ArrayList<>();

        @Nullable
        Run holder;
    }

    @Override
    public synchronized Run open(String comparison, boolean fresh) {
        Kept former = runs.get(comparison);
        Kept kept = former == null || fresh || former.checkpoint.finished() ? new Kept() : former;
        if (former != null) {
            former.holder = null;
        }
        runs.put(comparison, kept);
        Run run = new Run() {
            @Override
            public Checkpoint start() {
                synchronized (InMemoryJournal.this) {
                    return kept.checkpoint;
                }
            }

            @Override
            public void advance(Checkpoint reached, List<Finding<String>> findings) {
                synchronized (InMemoryJournal.this) {
                    if (kept.holder != this) {
                        throw new SupersededException(comparison);
                    }
                    kept.checkpoint = reached;
                    findings.stream()
                            .limit(MOST_FINDINGS - kept.findings.size())
                            .forEach(kept.findings::add);
                }
            }
        };
        kept.holder = run;
        return run;
    }

    @Override
    public synchronized List<Finding<String>> findings(String comparison, long skip, int limit) {
        Kept kept = runs.get(comparison);
        return kept == null
                ? List.of()
                : kept.findings.stream().skip(skip).limit(limit).toList();
    }
}
