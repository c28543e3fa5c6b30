package io.counterpoint.idempotency.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

class ProgramOptionsTest {

    enum Colour {
        RED,
        GREEN
    }

    static final class ColourConverter extends Choice<Colour> {
        ColourConverter() {
            super(List.of(Colour.values()), colour -> colour.name().toLowerCase(Locale.ROOT));
        }
    }

    @Command(name = "program", sortOptions = false)
    static final class Options extends ProgramOptions {

        @Option(names = "--number", description = "A number.")
        int number;

        @Option(names = "--colour", converter = ColourConverter.class, description = "A colour.")
        Colour colour = Colour.RED;

        @Override
        protected void check(ParseResult given) throws CannotRun {
            if (given.hasMatchedOption("--number") && number < 1) {
                throw new CannotRun("--number must be at least 1, found " + number + ".");
            }
        }

        static Options parse(String... arguments) throws CannotRun {
            return parse(new Options(), arguments);
        }
    }

    @Test
    void optionsAreSetAndChecked() throws CannotRun {
        Options options = Options.parse("--number", "2", "--colour", "green");
        assertThat(options.number).isEqualTo(2);
        assertThat(options.colour).isEqualTo(Colour.GREEN);
        assertThat(options.asksForHelp()).isFalse();
    }

    @Test
    void refusalSaysWhatWasGivenAndWhatIsExpected() {
        assertRefused("Unknown option: '--nonsense'.", "--nonsense");
        assertRefused("expected one of red, green, found 'blue'.", "--colour", "blue");
        assertRefused("--number must be at least 1, found 0.", "--number", "0");
    }

    @Test
    void helpIsTheLastOption() throws CannotRun {
        Options options = Options.parse("--help");
        assertThat(options.asksForHelp()).isTrue();
        assertThat(options.usage())
                .containsSubsequence("--number", "--colour", "--help")
                .contains("Shows this.");
    }

    private static void assertRefused(String message, String... arguments) {
        assertThatThrownBy(() -> Options.parse(arguments))
                .isInstanceOf(CannotRun.class)
                .hasMessageEndingWith(message);
    }
}
