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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An expression of an annotation: what Spring's language and this have in common. Parameters by name and their properties,
 * as in {@code #order.customer.id}, text as in {@code 'queue:orders'}, joined by {@code +}; {@code ?:} says what stands for a
 * missing value. Names and properties are checked against the declared types.
 */
final class Expression {

    static final String ATTEMPT = "attempt";

    private static final Pattern TOKEN =
            Pattern.compile(" *(?:'((?:[^']|'')*)'|#(NAME)((?:\\.NAME(?:\\(\\))?)*)|(\\+)|(\\?:)) *"
                    .replace("NAME", "[A-Za-z_$][A-Za-z0-9_$]*"));

    private final Method method;
    private final String attribute;
    private final String text;
    /** Alternatives, the first that is there counts; each a sum. */
    private final List<List<Part>> alternatives = new ArrayList<>();

    private boolean usesHttpAttempt;

    /** A text, or a value of a parameter; of the HTTP request's attempt where there is no such parameter. */
    private record Part(@Nullable String literal, int parameter, List<Method> path) {}

    Expression(Method method, String attribute, String text) {
        this.method = method;
        this.attribute = attribute;
        this.text = text;
        parse();
    }

    private void parse() {
        if (text.trim().isEmpty()) {
            throw refused("is blank");
        }
        List<Part> sum = new ArrayList<>();
        Matcher matcher = TOKEN.matcher(text);
        int at = 0;
        boolean wantsPart = true;
        while (at < text.length()) {
            if (!matcher.find(at) || matcher.start() != at) {
                throw refused("is not understood from [" + text.substring(at) + "] on");
            }
            boolean isPart = matcher.group(4) == null && matcher.group(5) == null;
            if (isPart != wantsPart) {
                throw refused("has no value or no operator before [" + text.substring(at) + "]");
            }
            if (isPart) {
                sum.add(part(matcher));
            } else if (matcher.group(5) != null) {
                alternatives.add(sum);
                sum = new ArrayList<>();
            }
            wantsPart = !isPart;
            at = matcher.end();
        }
        if (wantsPart) {
            throw refused("ends with an operator");
        }
        alternatives.add(sum);
    }

    private Part part(Matcher matcher) {
        if (matcher.group(2) == null) {
            return new Part(matcher.group(1).replace("''", "'"), -1, List.of());
        }
        String name = matcher.group(2);
        Parameter[] parameters = method.getParameters();
        int index = -1;
        for (int i = 0; i < parameters.length; i++) {
            if (!parameters[i].isNamePresent()) {
                throw refused(
                        "names a parameter, and its class was compiled without names: compile it with -parameters");
            }
            index = parameters[i].getName().equals(name) ? i : index;
        }
        if (index < 0 && !name.equals(ATTEMPT)) {
            throw refused("uses #" + name + ", and its parameters are "
                    + Arrays.stream(parameters).map(Parameter::getName).toList());
        }
        usesHttpAttempt |= index < 0;
        Class<?> type = index < 0 ? Attempt.class : parameters[index].getType();
        List<Method> path = new ArrayList<>();
        for (String property : matcher.group(3).replace("()", "").split("\\.", -1)) {
            if (!property.isEmpty()) {
                Method getter = getter(type, property);
                path.add(getter);
                type = getter.getReturnType();
            }
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
                // The other names are tried.
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

    /** Whether it is an attempt as it is, with scope and fingerprint. */
    boolean givesAttempt() {
        if (alternatives.size() != 1 || alternatives.get(0).size() != 1) {
            return false;
        }
        Part part = alternatives.get(0).get(0);
        return part.literal() == null
                && part.path().isEmpty()
                && (part.parameter() < 0 || method.getParameterTypes()[part.parameter()] == Attempt.class);
    }

    /** The value of an expression for a part of the request. */
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

    /** The text of an expression for a key or scope. */
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

    /** Nothing where a value of a sum is missing. */
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
