package io.counterpoint.idempotency.examples.groupcreation.breaker;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Rows in columns that are as wide as they need to be: numbers to the right, text to the left. */
final class Table {

    private final List<Object[]> rows = new ArrayList<>();

    Table row(Object... cells) {
        rows.add(cells);
        return this;
    }

    void print(PrintStream out) {
        List<Integer> widths = new ArrayList<>();
        for (Object[] row : rows) {
            for (int column = 0; column < row.length; column++) {
                int width = text(row[column]).length();
                if (column == widths.size()) {
                    widths.add(width);
                } else {
                    widths.set(column, Math.max(widths.get(column), width));
                }
            }
        }
        for (Object[] row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < row.length; column++) {
                String text = text(row[column]);
                String gap = " ".repeat(widths.get(column) - text.length());
                line.append(row[column] instanceof Number ? gap + text : text + gap)
                        .append("  ");
            }
            out.println(line.toString().stripTrailing());
        }
    }

    private static String text(Object cell) {
        return cell instanceof Number number ? String.format(Locale.ROOT, "%,d", number.longValue()) : cell.toString();
    }
}
