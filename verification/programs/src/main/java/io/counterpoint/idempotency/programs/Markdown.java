package io.counterpoint.idempotency.programs;

import java.util.Collection;
import java.util.Locale;
import java.util.stream.Collectors;

/** Text of a page, with an empty line between any two parts. */
public final class Markdown {

    private final StringBuilder text = new StringBuilder();

    /**
     * Adds a heading.
     *
     * @param level 1 for the title of a page
     */
    public Markdown heading(int level, String title) {
        return add("#".repeat(level) + " " + title);
    }

    /** Adds lines, formatted as {@link String#format} does it unless there are no values. */
    public Markdown paragraph(String format, Object... values) {
        return add(values.length == 0 ? format : String.format(Locale.ROOT, format, values));
    }

    /** Adds a table, whose first row is its heading. */
    public Markdown table(TextTable table) {
        return add(table.markdown());
    }

    /** Adds an item for each text, or nothing where there are none. */
    public Markdown list(Collection<String> items) {
        return items.isEmpty() ? this : add(items.stream().collect(Collectors.joining("\n- ", "- ", "")));
    }

    private Markdown add(String part) {
        text.append(text.isEmpty() ? "" : "\n").append(part.strip()).append('\n');
        return this;
    }

    /** All parts, with a line feed at the end. */
    public String text() {
        return text.toString();
    }
}
