package io.counterpoint.idempotency.jdbc;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The name of the records' table, checked, since an identifier cannot be bound. */
record Table(String schema, String name) {

    static final Table DEFAULT = new Table("", "idempotency_record");

    private static final String IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]{0,47}";
    private static final Pattern NAME = Pattern.compile("(?:(" + IDENTIFIER + ")\\.)?(" + IDENTIFIER + ")");

    static Table parse(String text) {
        Matcher matcher = NAME.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "A table name is a letter or underscore and up to 47 more letters, digits"
                            + " or underscores, with or without a schema before it, found '" + text + "'.");
        }
        return new Table(matcher.group(1) == null ? "" : matcher.group(1), matcher.group(2));
    }

    String qualified() {
        return qualify(name);
    }

    String qualify(String other) {
        return schema.isEmpty() ? other : schema + "." + other;
    }

    @Override
    public String toString() {
        return qualified();
    }
}
