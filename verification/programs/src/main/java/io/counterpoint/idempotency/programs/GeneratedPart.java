package io.counterpoint.idempotency.programs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The part of a page that a program writes, between two marks. All else on the page is written by hand and stays as it is.
 *
 * @param begin the line above the part
 * @param end the line below it; empty where the part reaches to the end of the page
 */
public record GeneratedPart(String begin, String end) {

    /** Puts the part into a page. One without the marks gets them at its end, and a new page is nothing else. */
    public void write(Path page, String part) throws IOException {
        String before = Files.exists(page) ? Files.readString(page) : "";
        Files.writeString(page, within(before, part));
    }

    /** The page with another part. */
    public String within(String page, String part) {
        int from = page.indexOf(begin);
        int to = from < 0 ? -1 : end.isEmpty() ? page.length() : page.indexOf(end, from + begin.length());
        String above = to < 0 ? (page.isBlank() ? "" : page.stripTrailing() + "\n\n") : page.substring(0, from);
        String below = end.isEmpty() ? "" : "\n" + (to < 0 ? end + "\n" : page.substring(to));
        return above + begin + "\n\n" + part.strip() + "\n" + below;
    }
}
