package io.counterpoint.idempotency.consistency.comparison;

import java.util.List;
import java.util.function.Function;

/**
 * A repair's change to a row of the incorrect side, applied only if the row is unchanged since it was found. {@link
 * #fold} handles every case.
 *
 * @param <K> the type of the key
 */
public sealed interface Change<K> {

    /**
     * Returns the key of the row.
     *
     * @return the key
     */
    K key();

    /**
     * Handles every case.
     *
     * @param <T> what the handlers return
     * @param insert handles a row to insert
     * @param update handles a row to update
     * @param delete handles a row to delete
     * @return what the handler of this case returned
     */
    <T> T fold(
            Function<? super Insert<K>, ? extends T> insert,
            Function<? super Update<K>, ? extends T> update,
            Function<? super Delete<K>, ? extends T> delete);

    /**
     * Inserts a missing row.
     *
     * @param <K> the type of the key
     * @param wanted the row of the other side
     */
    record Insert<K>(Row<K> wanted) implements Change<K> {
        @Override
        public K key() {
            return wanted.key();
        }

        @Override
        public <T> T fold(
                Function<? super Insert<K>, ? extends T> insert,
                Function<? super Update<K>, ? extends T> update,
                Function<? super Delete<K>, ? extends T> delete) {
            return insert.apply(this);
        }
    }

    /**
     * Sets the fields that differ.
     *
     * @param <K> the type of the key
     * @param found the row as found, which must be unchanged
     * @param wanted the row of the other side
     * @param fields the fields to set; all others stay unchanged
     * @param compared the fields that must be unchanged, in addition to the version
     */
    record Update<K>(Row<K> found, Row<K> wanted, List<String> fields, List<String> compared) implements Change<K> {

        /**
         * Copies the names.
         *
         * @param found the row as found, which must be unchanged
         * @param wanted the row of the other side
         * @param fields the fields to set
         * @param compared the fields that must be unchanged
         */
        public Update {
            fields = List.copyOf(fields);
            compared = List.copyOf(compared);
        }

        @Override
        public K key() {
            return found.key();
        }

        @Override
        public <T> T fold(
                Function<? super Insert<K>, ? extends T> insert,
                Function<? super Update<K>, ? extends T> update,
                Function<? super Delete<K>, ? extends T> delete) {
            return update.apply(this);
        }
    }

    /**
     * Deletes a row that the other side does not have.
     *
     * @param <K> the type of the key
     * @param found the row as found, which must be unchanged
     * @param compared the fields that must be unchanged, in addition to the version
     */
    record Delete<K>(Row<K> found, List<String> compared) implements Change<K> {

        /**
         * Copies the names.
         *
         * @param found the row as found, which must be unchanged
         * @param compared the fields that must be unchanged
         */
        public Delete {
            compared = List.copyOf(compared);
        }

        @Override
        public K key() {
            return found.key();
        }

        @Override
        public <T> T fold(
                Function<? super Insert<K>, ? extends T> insert,
                Function<? super Update<K>, ? extends T> update,
                Function<? super Delete<K>, ? extends T> delete) {
            return delete.apply(this);
        }
    }
}
