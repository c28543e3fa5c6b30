package io.counterpoint.idempotency.programs;

import java.util.Collection;
import java.util.Locale;
import java.util.stream.Collectors;

/** The text of a page, with an empty line between its parts. */
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

    /** Adds a paragraph. If there are values, the text is a format for {@link String#format}. */
    public Markdown paragraph(String format, Object... values) {
        return add(values.length == 0 ? format : String.format(Locale.ROOT, format, values));
    }

    /** Adds a table, with its first row as the header. */
    public Markdown table(TextTable table) {
        return add(table.markdown());
    }

    /** Adds a list item for each text. Adds nothing if there are none. */
    public Markdown list(Collection<String> items) {
        return items.isEmpty() ? this : add(items.stream().collect(Collectors.joining("\n- ", "- ", "")));
    }

    private Markdown add(String part) {
        text.append(text.isEmpty() ? "" : "\n").append(part.strip()).append('\n');
        return this;
    }

    /** Returns all parts, with a line feed at the end. */
    public String text() {
        return text.toString();
    }
}
