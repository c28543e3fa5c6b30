package io.counterpoint.idempotency.consistency.internal;

import java.util.ArrayList;
import java.util.List;

/** Formats rows in columns that are as wide as necessary. */
public final class TextTable {

    private TextTable() {}

    /** Returns the rows as lines that end with a line feed. */
    public static String print(List<String[]> rows) {
        List<Integer> widths = new ArrayList<>();
        for (String[] row : rows) {
            for (int column = 0; column < row.length; column++) {
                int width = row[column].length();
                if (column == widths.size()) {
                    widths.add(width);
                } else {
                    widths.set(column, Math.max(widths.get(column), width));
                }
            }
        }
        StringBuilder text = new StringBuilder();
        for (String[] row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < row.length; column++) {
                line.append(row[column]).append(" ".repeat(widths.get(column) - row[column].length() + 2));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }
}
