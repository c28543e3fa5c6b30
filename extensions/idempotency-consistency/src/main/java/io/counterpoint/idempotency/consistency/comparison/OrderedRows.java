package io.counterpoint.idempotency.consistency.comparison;

import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The rows of one side in sequence, with one page in memory; each is checked to follow the previous one. */
final class OrderedRows<K> {

    private final Sides<K> sides;
    private final Side side;
    private final int pageSize;
    private Optional<K> previous;
    private Iterator<Row<K>> page = List.<Row<K>>of().iterator();
    private boolean isLastPage;
    private @Nullable Row<K> head;

    OrderedRows(Sides<K> sides, Side side, Optional<K> after, int pageSize) {
        this.sides = sides;
        this.side = side;
        this.previous = after;
        this.pageSize = pageSize;
    }

    /** Returns the row that {@link #take} will take; null if there are no more. */
    @Nullable
    Row<K> peek() {
        if (head == null) {
            head = read();
        }
        return head;
    }

    void take() {
        head = null;
    }

    private @Nullable Row<K> read() {
        if (!page.hasNext() && !isLastPage) {
            List<Row<K>> rows = sides.page(side, previous, pageSize);
            isLastPage = rows.size() < pageSize;
            page = rows.iterator();
        }
        if (!page.hasNext()) {
            return null;
        }
        Row<K> row = page.next();
        previous.ifPresent(before -> {
            if (sides.order().compare(before, row.key()) >= 0) {
                throw new OutOfOrderException(side, sides.order(), before, row.key());
            }
        });
        previous = Optional.of(row.key());
        return row;
    }
}
