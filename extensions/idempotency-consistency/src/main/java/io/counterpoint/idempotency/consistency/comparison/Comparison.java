package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.IdempotencyClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Compares two sources that should contain the same rows, such as both sides of a dual write, even while they are being
 * written.
 *
 * <p>Both are read page by page in key order and merged, in constant memory. A difference is only a suspect at first:
 * it is read again after the minimum age and becomes a {@link Finding} if both rows are unchanged. A write in flight is
 * therefore never a finding, provided that it reaches both sides within the minimum age, and a difference that existed
 * before the run and stays unchanged is always found.
 *
 * <p>Not detected: a row inserted behind the current position, which is left to the next run. A row without a
 * {@linkplain Row#version version} that was changed and changed back within the minimum age counts as unchanged.
 *
 * <p>Immutable, and thread-safe if the sources are, but only one run per name can be active in a journal.
 *
 * @param <K> the type of the keys
 */
public final class Comparison<K> {

    private final ComparisonSettings<K> settings;

    private Comparison(Builder<K> builder) {
        this.settings = new ComparisonSettings<>(
                builder.name,
                builder.sides,
                new RowComparer<>(builder.ignored, builder.canonicalizers, builder.keepsValues),
                builder.journal,
                builder.pageSize,
                builder.minimumAge,
                builder.maxSuspects,
                builder.clock,
                builder.progress);
    }

    /**
     * Starts building a comparison.
     *
     * @param <K> the type of the keys
     * @param name its name in reports and in the journal, of 1 to 100 characters
     * @param old the original source
     * @param replacement the source that will replace it
     * @return a builder
     * @throws IllegalArgumentException if the name is invalid or the sources declare different orders
     */
    public static <K> Builder<K> builder(String name, Source<K> old, Source<K> replacement) {
        return new Builder<>(name, old, replacement);
    }

    /**
     * Continues the unfinished run, or starts a new one if there is none, and runs it to completion. A continued run
     * must have the same sources with the same fields.
     *
     * @return the report
     * @throws UnlistedColumnsException if a source has columns that are neither compared nor ignored
     * @throws SupersededException if another call has started or continued the comparison in the meantime, and proceeds
     *     with it
     * @throws ComparisonException if it could not continue; calling again continues the run
     */
    public ComparisonReport<K> run() {
        return run(false);
    }

    /**
     * Discards any unfinished run, starts a new one and runs it to completion.
     *
     * @return the report
     * @throws ComparisonException as in {@link #run}, which then continues it
     */
    public ComparisonReport<K> startOver() {
        return run(true);
    }

    private ComparisonReport<K> run(boolean fresh) {
        settings.requireAllColumnsListed();
        return new Scan<>(settings, settings.journal().open(settings.name(), fresh)).finish();
    }

    /**
     * Compares only the rows with these keys, and likewise reads differing rows again after the minimum age. Nothing is
     * written to the journal.
     *
     * @param keys the keys, in any order
     * @return the confirmed findings, in key order
     * @throws ComparisonException if it could not continue
     */
    public List<Finding<K>> check(Collection<K> keys) {
        List<K> sorted = new ArrayList<>(keys);
        sorted.sort(settings.sides().order().comparator());
        Recheck<K> check = new Recheck<>(settings, "compare", Integer.MAX_VALUE, (key, now) -> {});
        check.all(sorted.iterator());
        return check.findings();
    }

    /**
     * Starts building a plan that repairs the findings of the latest run.
     *
     * @param truth the correct side; the other one is changed
     * @return a builder
     * @throws IllegalArgumentException if the source of the other side is not a {@link RepairTarget}
     */
    public RepairPlan.Builder<K> repair(Side truth) {
        return RepairPlan.Builder.of(settings, truth);
    }

    ComparisonSettings<K> settings() {
        return settings;
    }

    /**
     * Returns the name.
     *
     * @return the name
     */
    public String name() {
        return settings.name();
    }

    @Override
    public String toString() {
        return "Comparison[" + settings.name() + "]";
    }

    /**
     * The options of a comparison. None of them is required.
     *
     * @param <K> the type of the keys
     */
    public static final class Builder<K> {

        private final String name;
        private final Sides<K> sides;
        private final Set<String> ignored = new HashSet<>();
        private final Map<String, Canonicalizer> canonicalizers = new HashMap<>();
        private Journal journal = Journal.inMemory();
        private boolean keepsValues = true;
        private Duration minimumAge = Duration.ofSeconds(5);
        private int pageSize = 1_000;
        private int maxSuspects = 20_000;
        private IdempotencyClock clock = IdempotencyClock.system();
        private Consumer<? super ComparisonProgress> progress = ignored -> {};

        private Builder(String name, Source<K> old, Source<K> replacement) {
            if (name.isEmpty() || name.length() > 100) {
                throw new IllegalArgumentException(
                        "A comparison's name must be 1 to 100 characters, found " + name.length() + ".");
            }
            if (old.order() != replacement.order()) {
                throw new IllegalArgumentException("Both sources of comparison '" + name + "' must declare the same"
                        + " order of keys, found " + old.order() + " and " + replacement.order() + ".");
            }
            this.name = name;
            this.sides = new Sides<>(old, replacement);
        }

        /**
         * Excludes fields from the comparison. They may be missing on one side. A column of a {@link SqlTable} that is
         * not part of any field must be listed here, too: a run does not silently skip it.
         *
         * @param fields the names of fields or columns
         * @return this
         */
        public Builder<K> ignoring(String... fields) {
            Collections.addAll(ignored, fields);
            return this;
        }

        /**
         * Compares a field by the meaning of its values. By default, numbers are compared by value, {@code
         * OffsetDateTime}, {@code ZonedDateTime} and {@code Instant} by their instant, and everything else by type and
         * value; only null equals null.
         *
         * @param field its name
         * @param canonicalizer returns the form to compare
         * @return this
         */
        public Builder<K> canonical(String field, Canonicalizer canonicalizer) {
            canonicalizers.put(field, canonicalizer);
            return this;
        }

        /**
         * Sets how long both rows must remain unchanged before their difference is confirmed. Must be longer than a
         * write takes to reach both sides.
         *
         * @param age not negative; default: 5 seconds
         * @return this
         */
        public Builder<K> minimumAge(Duration age) {
            if (age.isNegative()) {
                throw new IllegalArgumentException("The minimum age must not be negative, found " + age + ".");
            }
            minimumAge = age;
            return this;
        }

        /**
         * Sets the journal that records progress and findings.
         *
         * @param kept the journal; default: {@linkplain Journal#inMemory in memory}
         * @return this
         */
        public Builder<K> journal(Journal kept) {
            journal = kept;
            return this;
        }

        /**
         * Omits the values of rows from findings and from the journal. By default, both contain them, so protect the
         * journal's tables like the compared data.
         *
         * @return this
         */
        public Builder<K> withoutValues() {
            keepsValues = false;
            return this;
        }

        /**
         * Sets a listener that receives the progress every two seconds, on the comparing thread.
         *
         * @param listener the listener, such as {@code System.err::println}; default: none
         * @return this
         */
        public Builder<K> progress(Consumer<? super ComparisonProgress> listener) {
            progress = listener;
            return this;
        }

        /**
         * Sets how many rows are read at once from each side.
         *
         * @param rows at least 1; default: 1,000
         * @return this
         */
        public Builder<K> pageSize(int rows) {
            pageSize = atLeastOne("A page", rows);
            return this;
        }

        /**
         * Sets the maximum number of differences that wait for confirmation. Each takes about 300 bytes plus its key.
         * At the limit, reading pauses, so at most this many differences can be confirmed per minimum age.
         *
         * @param suspects at least 1; default: 20,000
         * @return this
         */
        public Builder<K> maxSuspects(int suspects) {
            maxSuspects = atLeastOne("The number of suspects", suspects);
            return this;
        }

        /**
         * Sets the clock that measures the minimum age.
         *
         * @param source the clock; default: the system clock
         * @return this
         */
        public Builder<K> clock(IdempotencyClock source) {
            clock = Objects.requireNonNull(source);
            return this;
        }

        /**
         * Builds the comparison after checking that both sources can be compared; a missing table is checked by the
         * first run.
         *
         * @return a new comparison
         * @throws IllegalArgumentException if a column has a type whose values cannot be read without loss
         */
        public Comparison<K> build() {
            sides.source(Side.OLD).requireComparable();
            sides.source(Side.NEW).requireComparable();
            return new Comparison<>(this);
        }

        private static int atLeastOne(String what, int found) {
            if (found < 1) {
                throw new IllegalArgumentException(what + " must be at least 1, found " + found + ".");
            }
            return found;
        }
    }
}
