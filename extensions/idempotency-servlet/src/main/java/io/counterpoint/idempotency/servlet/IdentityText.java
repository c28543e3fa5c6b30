package io.counterpoint.idempotency.servlet;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Recognizes the default text of an object, its class and identity hash, as returned by {@link Object#toString}. */
final class IdentityText {

    /** Requires a package, because people may have names such as Person@cafe, and real classes have packages. */
    private static final Pattern FORM =
            Pattern.compile("((?:[a-z_][a-zA-Z0-9_]*\\.)+[A-Z][a-zA-Z0-9_$]*)@[0-9a-f]{1,8}");

    private IdentityText() {}

    /** Returns the name unless it is such a text. */
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
