package io.counterpoint.idempotency.jdbc;

import java.util.List;

/**
 * The findings of {@link JdbcIdempotencyStore#checkTable}, for tools that show them.
 *
 * @param layout the layout of the table, by its primary key: {@link #CURRENT}, {@link #EARLIER}, or {@link #UNKNOWN}
 * @param faults what prevents the promises from being kept, each with its remedy; {@code checkTable} rejects a table
 *     that has any
 */
public record TableInspection(int layout, List<String> faults) {

    /**
     * The layout of this version's files: the primary key begins with {@code key_value}, and there are no check
     * constraints.
     */
    public static final int CURRENT = 3;

    /** Layouts 1 and 2, which differ only in their checks: the primary key begins with {@code scope}. */
    public static final int EARLIER = 2;

    /** Not the layout of any version, or no table. */
    public static final int UNKNOWN = 0;

    /**
     * Copies the list.
     *
     * @param layout the layout
     * @param faults what prevents the promises from being kept
     */
    public TableInspection {
        faults = List.copyOf(faults);
    }

    static TableInspection unfit(String fault) {
        return new TableInspection(UNKNOWN, List.of(fault));
    }

    /**
     * Inspects the table that a store's statements would use, without changing anything.
     *
     * @param store the store
     * @return the findings
     */
    public static TableInspection of(JdbcIdempotencyStore store) {
        return store.inspectTable();
    }
}
