package io.counterpoint.idempotency.programs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The part of a page that a program generates, between two markers. The rest of the page is written by hand and left
 * unchanged.
 *
 * @param begin the line above the part
 * @param end the line below it; empty if the part extends to the end of the page
 */
public record GeneratedPart(String begin, String end) {

    /**
     * Replaces the part of a page. If the page has no markers, the part is appended; if there is no page, it is
     * created.
     */
    public void write(Path page, String part) throws IOException {
        String before = Files.exists(page) ? Files.readString(page) : "";
        Files.writeString(page, within(before, part));
    }

    /** Returns the page with this part replaced. */
    public String within(String page, String part) {
        int from = page.indexOf(begin);
        int to = from < 0 ? -1 : end.isEmpty() ? page.length() : page.indexOf(end, from + begin.length());
        String above = to < 0 ? (page.isBlank() ? "" : page.stripTrailing() + "\n\n") : page.substring(0, from);
        String below = end.isEmpty() ? "" : "\n" + (to < 0 ? end + "\n" : page.substring(to));
        return above + begin + "\n\n" + part.strip() + "\n" + below;
    }
}
