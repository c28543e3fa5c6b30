package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.Fingerprint;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A key whose rows differ and have remained unchanged for at least the minimum age. {@link #fold} handles every case.
 * {@code toString} shows the key and the names of fields, never their values.
 *
 * @param <K> the type of the key
 */
public sealed interface Finding<K> {

    /**
     * Whose rows differ.
     *
     * @return the key
     */
    K key();

    /**
     * What both sides said when this was confirmed, for the decision which of them is right.
     *
     * @return the values
     */
    Values values();

    /**
     * The digest of the key and both rows as they were confirmed, versions included: a repair acts on exactly these or not
     * at all, and so does a decision.
     *
     * @return the digest
     */
    Fingerprint evidence();

    /**
     * Rows as JSON objects, by the names of their fields, with those that are not compared. A text of more than 1,000
     * characters is cut. {@code toString} shows nothing of it.
     *
     * @param old the old row; empty if there is none, or {@linkplain Comparison.Builder#withoutValues values are not kept}
     * @param replacement the new row; empty in the same cases
     */
    record Values(Optional<String> old, Optional<String> replacement) {

        static final Values NONE = new Values(Optional.empty(), Optional.empty());

        @Override
        public String toString() {
            return "not shown";
        }
    }

    /**
     * Handles every case.
     *
     * @param <T> what the handlers return
     * @param missingInOld only the new source has the row
     * @param missingInNew only the old source has the row
     * @param different both have it, with other values
     * @return what the handler of this case returned
     */
    <T> T fold(
            Function<? super MissingInOld<K>, ? extends T> missingInOld,
            Function<? super MissingInNew<K>, ? extends T> missingInNew,
            Function<? super Different<K>, ? extends T> different);

    /**
     * The same finding about a key of another type.
     *
     * @param <L> the other type
     * @param mapping gives the other key
     * @return the finding
     */
    default <L> Finding<L> withKey(Function<? super K, ? extends L> mapping) {
        L key = mapping.apply(key());
        return this.<Finding<L>>fold(
                old -> new MissingInOld<>(key, values(), evidence()),
                replacement -> new MissingInNew<>(key, values(), evidence()),
                different -> new Different<>(key, different.fields(), values(), evidence()));
    }

    /**
     * Only the new source has the row.
     *
     * @param <K> the type of the key
     * @param key whose row
     * @param values of the row that is there
     * @param evidence of the row that is there
     */
    record MissingInOld<K>(K key, Values values, Fingerprint evidence) implements Finding<K> {
        @Override
        public <T> T fold(
                Function<? super MissingInOld<K>, ? extends T> missingInOld,
                Function<? super MissingInNew<K>, ? extends T> missingInNew,
                Function<? super Different<K>, ? extends T> different) {
            return missingInOld.apply(this);
        }
    }

    /**
     * Only the old source has the row.
     *
     * @param <K> the type of the key
     * @param key whose row
     * @param values of the row that is there
     * @param evidence of the row that is there
     */
    record MissingInNew<K>(K key, Values values, Fingerprint evidence) implements Finding<K> {
        @Override
        public <T> T fold(
                Function<? super MissingInOld<K>, ? extends T> missingInOld,
                Function<? super MissingInNew<K>, ? extends T> missingInNew,
                Function<? super Different<K>, ? extends T> different) {
            return missingInNew.apply(this);
        }
    }

    /**
     * Both sources have the row, with other values.
     *
     * @param <K> the type of the key
     * @param key whose rows
     * @param fields the names of the fields that differ, at least one
     * @param values of both rows
     * @param evidence of both rows
     */
    record Different<K>(K key, List<String> fields, Values values, Fingerprint evidence) implements Finding<K> {

        /**
         * Copies the names.
         *
         * @param key whose rows
         * @param fields the names of the fields that differ
         * @param values of both rows
         * @param evidence of both rows
         */
        public Different {
            fields = List.copyOf(fields);
        }

        @Override
        public <T> T fold(
                Function<? super MissingInOld<K>, ? extends T> missingInOld,
                Function<? super MissingInNew<K>, ? extends T> missingInNew,
                Function<? super Different<K>, ? extends T> different) {
            return different.apply(this);
        }
    }
}
