package io.counterpoint.idempotency.programs;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * An option's value that is one of a few, by its name on the command line. It refuses others in fewer words than picocli
 * does.
 */
public abstract class Choice<T> implements ITypeConverter<T> {

    private final List<T> values;
    private final Function<T, String> name;
    private final String expected;

    /**
     * One of some values.
     *
     * @param name gives a value's name on the command line
     */
    protected Choice(List<T> values, Function<T, String> name) {
        this(values, name, values.stream().map(name).collect(Collectors.joining(", ", "one of ", "")));
    }

    /**
     * One of some values.
     *
     * @param name gives a value's name on the command line
     * @param expected all names, for a message
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
