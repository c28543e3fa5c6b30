package io.counterpoint.idempotency.programs;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Rows in columns, for a terminal or a page, with numbers right-aligned and text left-aligned. On a terminal, columns
 * are as wide as necessary.
 */
public final class TextTable {

    private final List<Object[]> rows = new ArrayList<>();

    /** Adds a row. Rows may have different numbers of cells. */
    public TextTable row(Object... cells) {
        rows.add(cells.clone());
        return this;
    }

    /** Prints the rows, one per line. */
    public void print(PrintStream out) {
        lines().forEach(out::println);
    }

    /** Returns the rows, each terminated by a line feed. */
    public String text() {
        return lines().stream().collect(Collectors.joining("\n", "", "\n"));
    }

    /**
     * Returns the rows as a Markdown table, with the first row as the header and numbers right-aligned. All rows must
     * have the same number of cells.
     */
    public String markdown() {
        StringBuilder lines = new StringBuilder();
        for (int row = 0; row < rows.size(); row++) {
            Object[] cells = rows.get(row);
            lines.append(Arrays.stream(cells).map(TextTable::text).collect(Collectors.joining(" | ", "| ", " |\n")));
            if (row == 0) {
                lines.append(IntStream.range(0, cells.length)
                        .mapToObj(column -> isOfNumbers(column) ? "---:" : "---")
                        .collect(Collectors.joining("|", "|", "|\n")));
            }
        }
        return lines.toString();
    }

    private boolean isOfNumbers(int column) {
        return rows.stream().skip(1).anyMatch(cells -> cells[column] instanceof Number);
    }

    private List<String> lines() {
        List<Integer> widths = widths();
        List<String> lines = new ArrayList<>();
        for (Object[] row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < row.length; column++) {
                String text = text(row[column]);
                String gap = " ".repeat(widths.get(column) - text.length());
                line.append(row[column] instanceof Number ? gap + text : text + gap)
                        .append("  ");
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }

    private List<Integer> widths() {
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
        return widths;
    }

    private static String text(Object cell) {
        return cell instanceof Number number ? String.format(Locale.ROOT, "%,d", number.longValue()) : cell.toString();
    }
}
