package io.counterpoint.idempotency.servlet;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** The methods to which a policy can apply. */
final class Methods {

    private static final Pattern METHOD = Pattern.compile("[A-Z][A-Z0-9-]*");
    private static final List<String> UNTOUCHED = List.of("GET", "HEAD", "OPTIONS", "TRACE", "CONNECT");

    private Methods() {}

    static Set<String> of(String... names) {
        if (names.length == 0) {
            throw new IllegalArgumentException("A policy must name at least one method; to name none, use off().");
        }
        for (String name : names) {
            if (!METHOD.matcher(name).matches()) {
                throw new IllegalArgumentException("The name of a method must be in upper case, such as POST; found "
                        + name + ", which matches no request.");
            }
        }
        Set<String> methods = new TreeSet<>(Arrays.asList(names));
        for (String name : UNTOUCHED) {
            if (methods.contains(name)) {
                throw new IllegalArgumentException("A " + name + " request has no effect to protect.");
            }
        }
        return methods;
    }
}
