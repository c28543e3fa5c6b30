package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.consistency.comparison.Suspects.Position;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A comparison of chosen keys. Confirmed findings are counted, and the first of them are kept. */
final class Recheck<K> implements Suspects.Verdict<K> {

    /** Handles each key that was checked, unless its rows kept changing. */
    interface Verified<K> {

        /** Accepts the confirmed difference, or null if there is none. */
        void accept(K key, @Nullable Finding<K> now);
    }

    private final ComparisonSettings<K> comparison;
    private final Suspects<K> suspects;
    private final Pace pace;
    private final String phase;
    private final int mostKept;
    private final Verified<K> verified;
    private final List<Finding<K>> findings = new ArrayList<>();
    private long checked;
    private long confirmed;
    private long undecided;

    Recheck(ComparisonSettings<K> comparison, String phase, int mostKept, Verified<K> verified) {
        this.comparison = comparison;
        this.suspects = comparison.newSuspects();
        this.pace = comparison.newPace();
        this.phase = phase;
        this.mostKept = mostKept;
        this.verified = verified;
    }

    void all(Iterator<K> keys) {
        while (keys.hasNext()) {
            List<K> batch = new ArrayList<>();
            while (batch.size() < Suspects.BATCH && keys.hasNext()) {
                batch.add(keys.next());
            }
            some(batch);
        }
        while (!suspects.isEmpty()) {
            awaitAndLook();
        }
    }

    List<Finding<K>> findings() {
        return List.copyOf(findings);
    }

    long checked() {
        return checked;
    }

    long numberConfirmed() {
        return confirmed;
    }

    long numberUndecided() {
        return undecided;
    }

    private void some(List<K> keys) {
        Map<K, Row<K>> old = comparison.sides().find(Side.OLD, keys);
        Map<K, Row<K>> replacement = comparison.sides().find(Side.NEW, keys);
        for (K key : keys) {
            Finding<K> difference = comparison.comparer().compare(key, old.get(key), replacement.get(key));
            if (difference == null) {
                verified.accept(key, null);
            } else {
                while (suspects.isFull()) {
                    awaitAndLook();
                }
                suspects.add(difference, new Position<>(Optional.empty(), 0, 0));
            }
        }
        checked += keys.size();
        pace.step(this::progress);
    }

    private void awaitAndLook() {
        pace.await(suspects.untilDue(), this::progress);
        suspects.look(this);
    }

    private ComparisonProgress progress() {
        return new ComparisonProgress(
                comparison.name(), phase, checked, checked, suspects.size(), confirmed, pace.elapsed());
    }

    @Override
    public void confirmed(Finding<K> finding) {
        verified.accept(finding.key(), finding);
        confirmed++;
        if (findings.size() < mostKept) {
            findings.add(finding);
        }
    }

    @Override
    public void dismissed(K key) {
        verified.accept(key, null);
    }

    @Override
    public void undecided(K key) {
        undecided++;
    }
}
