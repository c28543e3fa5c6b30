package io.counterpoint.idempotency.jdbc;

import static java.util.Collections.disjoint;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page of requirements has each of them, the classes and tests that it names are there, and "Test it" runs them. */
class RequirementsTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path PROOF = ROOT.resolve("docs/proof");

    private static final int OF_THE_FIRST_DOCUMENT = 74;
    private static final int OF_THE_SECOND_DOCUMENT = 105;

    private static final Pattern DEFINITION = Pattern.compile("(?m)^\\[([^\\]]+)\\]: (\\S+)$");
    private static final Pattern LINK = Pattern.compile("\\[(\\w+)(?:\\.(\\w+))?\\]\\[(\\w+)\\]");
    private static final Pattern TEST_METHOD = Pattern.compile(
            "(?s)@(?:Test|ParameterizedTest)\\b(?:(?!\\bvoid\\b|@(?:Test|ParameterizedTest)\\b).)*+\\bvoid (\\w+)\\(");

    private static final Pattern TAG = Pattern.compile("@Tag\\(\"(\\w+)\"\\)");
    private static final Pattern WORD = Pattern.compile("`([a-z]+)`");

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

    @Test
    void readmeAndPageNameTheTagsThatTestItLeavesOut() {
        String readme = read(ROOT.resolve("README.md"));

        assertThat(words(section(readme, "## Test it", "\n## "))).isEqualTo(tagsLeftOut());
        assertThat(words(section(page, "leaves out", "\n\n"))).isEqualTo(tagsLeftOut());
    }

    @Test
    void testItRunsATestOfEveryRowThatNamesNoStage() {
        Set<String> leftOut = tagsLeftOut();
        List<String> wrong = new ArrayList<>();
        for (Row row : Row.of(page)) {
            boolean runs = links(row.shownBy()).stream().anyMatch(link -> disjoint(tags(link), leftOut));
            if (runs == row.shownBy().contains("stage `")) {
                wrong.add(row.number() + (runs ? " names a stage, but \"Test it\" runs it" : " names no stage"));
            }
        }
        assertThat(wrong).isEmpty();
    }

    private static String section(String text, String start, String end) {
        int from = text.indexOf(start);
        int to = text.indexOf(end, from + start.length());
        return text.substring(from, to < 0 ? text.length() : to);
    }

    private static Set<String> words(String text) {
        return WORD.matcher(text).results().map(word -> word.group(1)).collect(toCollection(TreeSet::new));
    }

    /** The tags that the ordinary build excludes, of the root and of the module that has its own. */
    private static Set<String> tagsLeftOut() {
        String pom = read(ROOT.resolve("pom.xml"));
        String elsewhere = section(pom, "<groups.elsewhere>", "<").substring("<groups.elsewhere>".length());
        String excluded = section(pom, "<excludedGroups>", "</").substring("<excludedGroups>".length());
        String explorer = section(read(ROOT.resolve("verification/explorer/pom.xml")), "<excludedGroups>", "</");
        Set<String> tags = new TreeSet<>(
                List.of(excluded.replace("${groups.elsewhere}", elsewhere).split(",", -1)));
        tags.addAll(List.of(explorer.substring("<excludedGroups>".length()).split(",", -1)));
        return tags;
    }

    /** The tags of a test: those of its class, and those between the test before it and its own name. */
    private Set<String> tags(MatchResult link) {
        String text = read(file(link));
        int start = Pattern.compile("\\b(class|interface) " + link.group(1) + "\\b")
                .matcher(text)
                .results()
                .mapToInt(MatchResult::start)
                .findFirst()
                .orElseThrow();
        Set<String> tags = TAG.matcher(text.substring(0, start))
                .results()
                .map(tag -> tag.group(1))
                .collect(toCollection(TreeSet::new));
        int name = text.indexOf("void " + link.group(2) + "(");
        int before = Math.max(text.lastIndexOf("\n    }\n", name), start);
        TAG.matcher(text.substring(before, name)).results().forEach(tag -> tags.add(tag.group(1)));
        return tags;
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
