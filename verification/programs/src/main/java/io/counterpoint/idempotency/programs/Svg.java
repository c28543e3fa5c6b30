package io.counterpoint.idempotency.programs;

import java.util.Locale;

/** An SVG drawing that is readable on light and dark backgrounds. */
public final class Svg {

    private static final String INK = "text{fill:#1f2328;font-family:system-ui,sans-serif}"
            + "@media (prefers-color-scheme:dark){text{fill:#e6edf3}}";

    private final String title;
    private final String style;
    private final StringBuilder elements = new StringBuilder();

    /**
     * Creates an empty drawing.
     *
     * @param title the title for screen readers
     * @param style the CSS rules of its classes
     */
    public Svg(String title, String style) {
        this.title = title;
        this.style = style;
    }

    /** Adds a line of markup, formatted independently of the locale. */
    public void add(String format, Object... values) {
        elements.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    /**
     * Adds a text.
     *
     * @param kind its class, or empty
     * @param anchor start, middle or end
     */
    public void text(String kind, double x, double y, String anchor, String text) {
        add("<text%s x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", of(kind), x, y, anchor, escaped(text));
    }

    /** Adds a line with a class. */
    public void line(String kind, double x1, double y1, double x2, double y2) {
        add("<line%s x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", of(kind), x1, y1, x2, y2);
    }

    /** Adds a rectangle with a class. */
    public void rectangle(String kind, double x, double y, double width, double height) {
        add("<rect%s x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", of(kind), x, y, width, height);
    }

    /** Returns the complete drawing. */
    public String drawing(double width, double height) {
        return String.format(
                        Locale.ROOT,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" role=\"img\">%n",
                        width,
                        height)
                + "<title>" + escaped(title) + "</title>\n<style>\n" + INK + "\n" + style.strip() + "\n</style>\n"
                + elements + "</svg>\n";
    }

    private static String of(String kind) {
        return kind.isEmpty() ? "" : " class=\"" + kind + "\"";
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
