package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page of requirements has each of them, and the classes and tests that it names are there. */
class RequirementsTest {

    private static final Path PROOF = Path.of("../docs/proof").toAbsolutePath().normalize();

    private static final int OF_THE_FIRST_DOCUMENT = 74;
    private static final int OF_THE_SECOND_DOCUMENT = 105;

    private static final Pattern DEFINITION = Pattern.compile("(?m)^\\[([^\\]]+)\\]: (\\S+)$");
    private static final Pattern LINK = Pattern.compile("\\[(\\w+)(?:\\.(\\w+))?\\]\\[(\\w+)\\]");
    private static final Pattern TEST_METHOD = Pattern.compile(
            "(?s)@(?:Test|ParameterizedTest)\\b(?:(?!\\bvoid\\b|@(?:Test|ParameterizedTest)\\b).)*+\\bvoid (\\w+)\\(");

    private final String page = read(PROOF.resolve("requirements.md"));
    private final Map<String, String> definitions = new HashMap<>();

    private record Row(String number, String classes, String shownBy) {

        static List<Row> of(String page) {
            return page.lines()
                    .filter(line -> line.matches("\\| [AB]\\d.*"))
                    .map(line -> line.split("\\|", -1))
                    .map(cells -> new Row(cells[1].strip(), cells[3].strip(), cells[4].strip()))
                    .toList();
        }
    }

    RequirementsTest() {
        for (Matcher definition = DEFINITION.matcher(page); definition.find(); ) {
            definitions.put(definition.group(1), definition.group(2));
        }
    }

    @Test
    void everyRequirementHasARowInTheOrderOfItsDocument() {
        List<String> expected = new ArrayList<>();
        for (int i = 1; i <= OF_THE_FIRST_DOCUMENT; i++) {
            expected.add("A" + i);
        }
        for (int i = 1; i <= OF_THE_SECOND_DOCUMENT; i++) {
            expected.add("B" + i);
        }
        assertThat(Row.of(page)).extracting(Row::number).isEqualTo(expected);
    }

    @Test
    void everyRowNamesAClassAndATestThatAreThere() {
        List<String> wrong = new ArrayList<>();
        int tests = 0;
        for (Row row : Row.of(page)) {
            // A rule of the documentation is written down on a page, not in a class.
            if (!row.classes().contains("](") && links(row.classes()).isEmpty()) {
                wrong.add(row.number() + " names no class");
            }
            if (links(row.shownBy()).isEmpty()) {
                wrong.add(row.number() + " names no test");
            }
            for (MatchResult link : links(row.classes())) {
                if (link.group(2) != null || !declares(link)) {
                    wrong.add(row.number() + ": no class " + link.group());
                }
            }
            for (MatchResult link : links(row.shownBy())) {
                if (!declares(link) || !testMethods(link).contains(String.valueOf(link.group(2)))) {
                    wrong.add(row.number() + ": no test " + link.group());
                }
                tests++;
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(tests).isGreaterThanOrEqualTo(OF_THE_FIRST_DOCUMENT + OF_THE_SECOND_DOCUMENT);
    }

    private static List<MatchResult> links(String cell) {
        return LINK.matcher(cell).results().toList();
    }

    /** Whether the link leads to the file of the type that it names. */
    private boolean declares(MatchResult link) {
        Path file = file(link);
        return file.endsWith(link.group(1) + ".java")
                && Files.exists(file)
                && Pattern.compile("\\b(class|interface|record|enum) " + link.group(1) + "\\b")
                        .matcher(read(file))
                        .find();
    }

    private List<String> testMethods(MatchResult link) {
        Path file = file(link);
        return Files.exists(file)
                ? TEST_METHOD
                        .matcher(read(file))
                        .results()
                        .map(method -> method.group(1))
                        .toList()
                : List.of();
    }

    private Path file(MatchResult link) {
        return PROOF.resolve(definitions.getOrDefault(link.group(3), "nowhere")).normalize();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
