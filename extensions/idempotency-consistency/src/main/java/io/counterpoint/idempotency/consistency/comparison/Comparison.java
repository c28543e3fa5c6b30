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
 * Compares two sources that should contain the same rows, such as both sides of a dual write, while they are being
 * written.
 *
 * <p>Both are read page by page in the order of their keys and merged, in memory that does not grow with their size. A
 * difference that is met is only a suspect: it is read again after the minimum age, and is a {@link Finding} if both
 * rows were left as they were. So a write in flight is never a finding, provided that it reaches both sides within the
 * minimum age; and a difference that was there before the run and is left alone is always found.
 *
 * <p>Not seen: a row inserted behind the place that is being read; it is for the next run. Not distinguished from a row
 * left alone: one without a {@linkplain Row#version version} that was changed and changed back within the minimum age.
 *
 * <p>Immutable and thread-safe, if the sources are; but one run at a time is alive for each name in a journal.
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
     * @param old the source that was there first
     * @param replacement the source that is to replace it
     * @return a builder
     * @throws IllegalArgumentException if the name is not like that, or the sources declare different orders
     */
    public static <K> Builder<K> builder(String name, Source<K> old, Source<K> replacement) {
        return new Builder<>(name, old, replacement);
    }

    /**
     * Continues the unfinished run, or starts a new one if there is none, and runs it to completion. A continued run
     * has to be that of the same sources with the same fields.
     *
     * @return what it found
     * @throws UnlistedColumnsException if a source has columns that nobody said what to do about
     * @throws SupersededException if another call has begun or continued the comparison meanwhile: that
     *     one goes on
     * @throws ComparisonException if it could not go on; calling again continues the run
     */
    public ComparisonReport<K> run() {
        return run(false);
    }

    /**
     * Discards any unfinished run, starts a new one and runs it to completion.
     *
     * @return what it found
     * @throws ComparisonException as {@link #run}, which continues it then
     */
    public ComparisonReport<K> startOver() {
        return run(true);
    }

    private ComparisonReport<K> run(boolean fresh) {
        settings.requireAllColumnsListed();
        return new Scan<>(settings, settings.journal().open(settings.name(), fresh)).finish();
    }

    /**
     * Compares only the rows of these keys, and likewise reads rows that differ again after the minimum age. It writes
     * nothing to the journal.
     *
     * @param keys whose rows, in any order
     * @return what is confirmed, in the order of the keys
     * @throws ComparisonException if it could not go on
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
     * @param truth the side that is right; the other one is changed
     * @return a builder
     * @throws IllegalArgumentException if the source of the other side is no {@link RepairTarget}
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
         * in no field has to be named here, too: a run refuses to pass over it.
         *
         * @param fields their names, or those of columns
         * @return this
         */
        public Builder<K> ignoring(String... fields) {
            Collections.addAll(ignored, fields);
            return this;
        }

        /**
         * Compares a field by the meaning of its values. Without this, numbers are compared by value, {@code
         * OffsetDateTime}, {@code ZonedDateTime} and {@code Instant} by their moment, everything else by type and
         * value; nothing equals null but null.
         *
         * @param field its name
         * @param canonicalizer gives the form to compare
         * @return this
         */
        public Builder<K> canonical(String field, Canonicalizer canonicalizer) {
            canonicalizers.put(field, canonicalizer);
            return this;
        }

        /**
         * Sets how long both rows must remain unchanged before their difference is confirmed: longer than a write takes
         * to reach both sides.
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
         * @param kept the journal; default: one {@linkplain Journal#inMemory in memory}
         * @return this
         */
        public Builder<K> journal(Journal kept) {
            journal = kept;
            return this;
        }

        /**
         * Omits the values of rows from findings and from the journal. By default both have them, so protect the
         * journal's tables as you protect what is compared.
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
         * @param listener such as {@code System.err::println}; default: nobody
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
         * Sets the maximum number of differences that wait for confirmation. Each takes about 300 bytes and its key.
         * When so many wait, reading pauses: at most this many findings are made within a minimum age.
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
         * @param source default: that of the system
         * @return this
         */
        public Builder<K> clock(IdempotencyClock source) {
            clock = Objects.requireNonNull(source);
            return this;
        }

        /**
         * Builds the comparison. It asks both sources whether they can be compared; a table that is missing is asked by
         * the first run.
         *
         * @return a new comparison
         * @throws IllegalArgumentException if a column has a type whose values are not read without a loss
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
