package io.counterpoint.idempotency.servlet;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The text of an object that has none: its class and its identity, as {@link Object#toString} has them. */
final class IdentityText {

    /** With a package: people have names such as Person@cafe, and classes in use have packages. */
    private static final Pattern FORM =
            Pattern.compile("((?:[a-z_][a-zA-Z0-9_]*\\.)+[A-Z][a-zA-Z0-9_$]*)@[0-9a-f]{1,8}");

    private IdentityText() {}

    /** The name, unless it is such a text. */
    static String refused(String name) {
        Matcher form = FORM.matcher(name);
        if (form.matches() && isClass(form.group(1))) {
            throw new IllegalStateException("The principal's name is the identity of an object of " + form.group(1)
                    + ", which differs in every request. Nothing was claimed. Give the principal a stable name, or"
                    + " give the filter a ScopeResolver that finds one.");
        }
        return name;
    }

    private static boolean isClass(String name) {
        try {
            return Class.forName(name, false, Thread.currentThread().getContextClassLoader()) != null;
        } catch (ClassNotFoundException | LinkageError none) {
            return false;
        }
    }
}
