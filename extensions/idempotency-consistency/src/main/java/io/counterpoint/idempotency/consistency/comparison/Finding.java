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
     * Returns the key whose rows differ.
     *
     * @return the key
     */
    K key();

    /**
     * Returns the values of both sides when this was confirmed, to decide which of them is correct.
     *
     * @return the values
     */
    Values values();

    /**
     * Returns the digest of the key and both rows as confirmed, including versions: repairs and decisions apply to
     * exactly these rows or not at all.
     *
     * @return the digest
     */
    Fingerprint evidence();

    /**
     * Rows as JSON objects by field name, including fields that are not compared. Texts of more than 1,000 characters
     * are truncated. {@code toString} shows nothing of them.
     *
     * @param old the old row; empty if there is none or {@linkplain Comparison.Builder#withoutValues values are not
     *     kept}
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
     * @param missingInOld handles a row that only the new source has
     * @param missingInNew handles a row that only the old source has
     * @param different handles a row that both have with different values
     * @return what the handler of this case returned
     */
    <T> T fold(
            Function<? super MissingInOld<K>, ? extends T> missingInOld,
            Function<? super MissingInNew<K>, ? extends T> missingInNew,
            Function<? super Different<K>, ? extends T> different);

    /**
     * Returns the same finding with a different type of key.
     *
     * @param <L> the type of the new key
     * @param mapping converts the key
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
     * @param key the key of the row
     * @param values the values of the existing row
     * @param evidence the digest of the existing row
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
     * @param key the key of the row
     * @param values the values of the existing row
     * @param evidence the digest of the existing row
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
     * Both sources have the row, but with different values.
     *
     * @param <K> the type of the key
     * @param key the key of the rows
     * @param fields the names of the fields that differ, at least one
     * @param values the values of both rows
     * @param evidence the digest of both rows
     */
    record Different<K>(K key, List<String> fields, Values values, Fingerprint evidence) implements Finding<K> {

        /**
         * Copies the names.
         *
         * @param key the key of the rows
         * @param fields the names of the fields that differ
         * @param values the values of both rows
         * @param evidence the digest of both rows
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
