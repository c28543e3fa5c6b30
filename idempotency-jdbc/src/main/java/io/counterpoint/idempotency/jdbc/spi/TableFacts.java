package io.counterpoint.idempotency.jdbc.spi;

import java.util.List;
import java.util.Map;

/**
 * What the catalogue of a database says of the records' table.
 *
 * @param columns by name, in lower case
 * @param primaryKey its columns in their order, in lower case; empty if there is none
 * @param faults what is wrong by the rules of that database alone: a sentence each, with the remedy
 * @param hints what keeps all promises and could be faster on that database: a sentence each, with the remedy
 */
public record TableFacts(
        Map<String, Column> columns, List<String> primaryKey, List<String> faults, List<String> hints) {

    /**
     * Facts without hints.
     *
     * @param columns by name, in lower case
     * @param primaryKey its columns in their order, in lower case; empty if there is none
     * @param faults what is wrong by the rules of that database alone: a sentence each, with the remedy
     */
    public TableFacts(Map<String, Column> columns, List<String> primaryKey, List<String> faults) {
        this(columns, primaryKey, faults, List.of());
    }

    /** What a column can hold. */
    public enum Kind {
        /** Text of a bounded length. */
        TEXT("varchar"),
        /** Bytes. */
        BYTES("bytea on PostgreSQL, varbinary on H2"),
        /** A UUID, or what the dialect makes of it. */
        UUID("uuid"),
        /** A point in time. */
        TIME("timestamp with time zone"),
        /** Anything else. */
        OTHER("");

        private final String expected;

        Kind(String expected) {
            this.expected = expected;
        }

        /**
         * What to change a column to.
         *
         * @return types, for messages
         */
        public String expected() {
            return expected;
        }
    }

    /**
     * One column.
     *
     * @param kind what it can hold
     * @param type its type, as the database names it, with its collation
     * @param size the most characters or bytes
     * @param nullable whether it can be null
     * @param filled whether an insert that does not name it can succeed
     * @param exact whether two values are equal only if all their characters are
     */
    public record Column(Kind kind, String type, long size, boolean nullable, boolean filled, boolean exact) {}
}
