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
     * What both sides contained when this was confirmed, to decide which of them is correct.
     *
     * @return the values
     */
    Values values();

    /**
     * The digest of the key and both confirmed rows, including versions: repairs and decisions apply to exactly these
     * rows or not at all.
     *
     * @return the digest
     */
    Fingerprint evidence();

    /**
     * Both rows as JSON objects by field name, including fields that are not compared. Texts are truncated to 1,000
     * characters. {@code toString} does not show them.
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
     * @param different both have it, with different values
     * @return what the handler of this case returned
     */
    <T> T fold(
            Function<? super MissingInOld<K>, ? extends T> missingInOld,
            Function<? super MissingInNew<K>, ? extends T> missingInNew,
            Function<? super Different<K>, ? extends T> different);

    /**
     * Returns the same finding with a key of another type.
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
     * @param values of the existing row
     * @param evidence of the existing row
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
     * @param values of the existing row
     * @param evidence of the existing row
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
     * Both sources have the row, with different values.
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
