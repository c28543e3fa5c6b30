package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.annotation.InvalidIdempotentMethodException;
import io.counterpoint.idempotency.annotation.internal.AnnotatedOperation;
import io.counterpoint.idempotency.annotation.internal.StableText;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An expression of an annotation, in a subset of Spring's expression language: parameters by name and their properties,
 * as in {@code #order.customer.id}, and text, as in {@code 'queue:orders'}, concatenated with {@code +}; {@code ?:}
 * provides a default for a missing value. Names and properties are validated against the declared types.
 */
final class Expression {

    static final String ATTEMPT = "attempt";

    private static final String NAME = "[A-Za-z_$][A-Za-z0-9_$]*";
    private static final String PART = "'(?:[^']|'')*'|#" + NAME + "(?:\\." + NAME + "(?:\\(\\))?)*";
    private static final String SUM = "(?:" + PART + ")(?: *\\+ *(?:" + PART + "))*";
    private static final Pattern WHOLE = Pattern.compile(" *" + SUM + "(?: *\\?: *" + SUM + ")* *");
    private static final Pattern TOKEN = Pattern.compile(PART + "|\\?:");

    private final Method method;
    private final String attribute;
    private final String text;
    /** The alternatives, of which the first that is present counts; each is a sum. */
    private final List<List<Part>> alternatives = new ArrayList<>();

    private boolean usesHttpAttempt;

    /** A text, or a value of a parameter or, if there is no such parameter, of the HTTP request's attempt. */
    private record Part(@Nullable String literal, int parameter, List<Method> path) {}

    Expression(Method method, String attribute, String text) {
        this.method = method;
        this.attribute = attribute;
        this.text = text;
        parse();
    }

    private void parse() {
        if (!WHOLE.matcher(text).matches()) {
            throw refused("is not understood");
        }
        List<Part> sum = new ArrayList<>();
        alternatives.add(sum);
        for (MatchResult token : TOKEN.matcher(text).results().toList()) {
            if (token.group().equals("?:")) {
                sum = new ArrayList<>();
                alternatives.add(sum);
            } else if (token.group().charAt(0) == '\'') {
                String quoted = token.group();
                sum.add(new Part(quoted.substring(1, quoted.length() - 1).replace("''", "'"), -1, List.of()));
            } else {
                sum.add(reading(token.group().replace("()", "").substring(1).split("\\.", -1)));
            }
        }
    }

    private Part reading(String[] names) {
        Parameter[] parameters = method.getParameters();
        int index = -1;
        for (int i = 0; i < parameters.length; i++) {
            if (!parameters[i].isNamePresent()) {
                throw refused("names a parameter, but its class was compiled without parameter names: compile it with"
                        + " -parameters");
            }
            index = parameters[i].getName().equals(names[0]) ? i : index;
        }
        if (index < 0 && !names[0].equals(ATTEMPT)) {
            throw refused("uses #" + names[0] + ", but its parameters are "
                    + Arrays.stream(parameters).map(Parameter::getName).toList());
        }
        usesHttpAttempt |= index < 0;
        Class<?> type = index < 0 ? Attempt.class : parameters[index].getType();
        List<Method> path = new ArrayList<>();
        for (String property : List.of(names).subList(1, names.length)) {
            path.add(getter(type, property));
            type = path.get(path.size() - 1).getReturnType();
        }
        return new Part(null, index, path);
    }

    private Method getter(Class<?> type, String property) {
        char first = property.charAt(0);
        String capital = (first >= 'a' && first <= 'z' ? (char) (first - 'a' + 'A') : first) + property.substring(1);
        for (String name : List.of(property, "get" + capital, "is" + capital)) {
            try {
                Method found = type.getMethod(name);
                if (!Modifier.isStatic(found.getModifiers()) && found.getReturnType() != void.class) {
                    found.trySetAccessible();
                    return found;
                }
            } catch (NoSuchMethodException next) {
                // Try the other names.
            }
        }
        throw refused("reads " + property + " of " + type.getName() + ", which has no such public property");
    }

    private InvalidIdempotentMethodException refused(String why) {
        return new InvalidIdempotentMethodException(
                method,
                "its " + attribute + " [" + text + "] " + why + ".",
                "Use parameters and their properties, such as #order.id, text in single quotes, + and ?:.");
    }

    boolean usesHttpAttempt() {
        return usesHttpAttempt;
    }

    /** Whether it is directly an attempt, with scope and fingerprint. */
    boolean givesAttempt() {
        if (alternatives.size() != 1 || alternatives.get(0).size() != 1) {
            return false;
        }
        Part part = alternatives.get(0).get(0);
        return part.literal() == null
                && part.path().isEmpty()
                && (part.parameter() < 0 || method.getParameterTypes()[part.parameter()] == Attempt.class);
    }

    /** Returns the value of an expression for a part of the request. */
    @Nullable
    Object value(@Nullable Object[] arguments, @Nullable Attempt http) {
        for (List<Part> sum : alternatives) {
            Object value = sum.size() == 1 ? value(sum.get(0), arguments, http) : joined(sum, arguments, http);
            if (value != null && !value.equals("")) {
                return value;
            }
        }
        return null;
    }

    /** Returns the text of an expression for a key or scope. */
    String text(String operation, @Nullable Object[] arguments, @Nullable Attempt http) {
        Object value = value(arguments, http);
        return StableText.of(value)
                .filter(made -> !attribute.equals("scope") || !made.trim().isEmpty())
                .orElseThrow(() -> AnnotatedOperation.refusal(
                        operation,
                        attribute,
                        text,
                        value instanceof String
                                ? Optional.empty()
                                : Optional.ofNullable(value).map(Object::getClass)));
    }

    /** Returns null if a value of a sum is missing. */
    private @Nullable Object joined(List<Part> sum, @Nullable Object[] arguments, @Nullable Attempt http) {
        StringBuilder joined = new StringBuilder();
        for (Part part : sum) {
            Object value = value(part, arguments, http);
            if (value == null) {
                return null;
            }
            Optional<String> stable = StableText.of(value);
            if (stable.isEmpty()) {
                return value;
            }
            joined.append(stable.get());
        }
        return joined.toString();
    }

    private @Nullable Object value(Part part, @Nullable Object[] arguments, @Nullable Attempt http) {
        if (part.literal() != null) {
            return part.literal();
        }
        Object at = part.parameter() < 0 ? http : arguments[part.parameter()];
        for (Method getter : part.path()) {
            if (at == null) {
                return null;
            }
            at = read(getter, at);
        }
        return at instanceof Optional<?> optional ? optional.orElse(null) : at;
    }

    private @Nullable Object read(Method getter, Object from) {
        try {
            return getter.invoke(from);
        } catch (IllegalAccessException | InvocationTargetException thrown) {
            throw new IllegalStateException(
                    "The " + attribute + " [" + text + "] could not read " + getter.getName() + " of "
                            + getter.getDeclaringClass().getName() + ".",
                    thrown);
        }
    }

    @Override
    public String toString() {
        return text;
    }
}
