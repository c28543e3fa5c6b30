package io.counterpoint.idempotency.programs;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** An option whose value is one of a few, by name. Its error message is shorter than picocli's. */
public abstract class Choice<T> implements ITypeConverter<T> {

    private final List<T> values;
    private final Function<T, String> name;
    private final String expected;

    /**
     * Accepts one of some values.
     *
     * @param name returns a value's name on the command line
     */
    protected Choice(List<T> values, Function<T, String> name) {
        this(values, name, values.stream().map(name).collect(Collectors.joining(", ", "one of ", "")));
    }

    /**
     * Accepts one of some values.
     *
     * @param name returns a value's name on the command line
     * @param expected all names, for the message
     */
    protected Choice(List<T> values, Function<T, String> name, String expected) {
        this.values = List.copyOf(values);
        this.name = name;
        this.expected = expected;
    }

    @Override
    public final T convert(String given) {
        return values.stream()
                .filter(value -> name.apply(value).equals(given))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("expected " + expected + ", found '" + given + "'"));
    }
}
