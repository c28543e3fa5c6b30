package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the documentation points at is there: files, and the tests that show a claim. */
class DocumentationTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern DEFINITION = Pattern.compile("(?m)^\\[([^\\]]+)\\]: (\\S+)$");
    private static final Pattern LINK = Pattern.compile("\\[([^\\]]+)\\](?:\\(([^)]+)\\)|\\[([^\\]]+)\\])");
    private static final Pattern TEST = Pattern.compile("(\\w+)\\.(\\w+)");

    private static final Pattern CELL = Pattern.compile("\\[(\\w+\\.\\w+)\\]\\[\\w+\\]$");

    @Test
    void everyLinkLeadsSomewhereAndEveryNamedTestIsThere() throws IOException {
        List<String> dead = new ArrayList<>();
        int links = 0;
        for (Path page : pages()) {
            String text = Files.readString(page).replaceAll("(?s)```.*?```", "");
            Map<String, String> definitions = new HashMap<>();
            for (Matcher definition = DEFINITION.matcher(text); definition.find(); ) {
                definitions.put(definition.group(1), definition.group(2));
            }
            for (Matcher link = LINK.matcher(text); link.find(); links++) {
                String target = link.group(2) != null ? link.group(2) : definitions.get(link.group(3));
                if (!leadsSomewhere(page, link.group(1), target)) {
                    dead.add(ROOT.relativize(page) + ": [" + link.group(1) + "] to " + target);
                }
            }
        }
        assertThat(dead).isEmpty();
        assertThat(links).isGreaterThan(50);
    }

    /** A reader can copy the first code of each page: a whole file, or at least code with its imports. */
    @Test
    void firstCodeOfEachPageBeginsWithItsImports() throws IOException {
        assertThat(pages().stream()
                        .filter(page -> ROOT.relativize(page).toString().matches("docs/(consistency/)?[\\w-]+\\.md")))
                .hasSizeGreaterThan(20)
                .allSatisfy(page -> assertThat(
                                (Files.readString(page) + "```java\nimport ").split("```(java|kotlin)\n", -1)[1])
                        .containsPattern("^(import|package) "));
    }

    /** A reader of a rule of the protocol finds the line that keeps it, and the other way round. */
    @Test
    void everyRuleOfTheProtocolIsNamedWhereItIsKept() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/protocol.md"));
        String section = page.substring(page.indexOf("\n## The rules"), page.indexOf("\n## Guarantees"));
        List<Integer> rules = Pattern.compile("(?m)^(\\d+)\\. \\*\\*")
                .matcher(section)
                .results()
                .map(rule -> Integer.valueOf(rule.group(1)))
                .toList();
        Set<Integer> kept = new TreeSet<>();
        for (String module : List.of("idempotency-core", "idempotency-jdbc")) {
            for (Path source : SourceTree.files(ROOT.resolve(module + "/src/main/java"))) {
                Pattern.compile("\\bRule (\\d+)\\b")
                        .matcher(Files.readString(source))
                        .results()
                        .forEach(named -> kept.add(Integer.valueOf(named.group(1))));
            }
        }
        assertThat(rules).hasSizeGreaterThan(16);
        assertThat(kept).containsExactlyElementsOf(rules);
        String mutants = "verification/explorer/src/test/java/io/counterpoint/idempotency/explorer/MutantsTest.java";
        int ways = Files.readString(ROOT.resolve(mutants)).split("Scenario\\.of\\(").length - 1;
        assertThat(page.contains("breaks the protocol in " + ways + " ways"))
                .as("the page says %d ways", ways)
                .isTrue();
    }

    /**
     * Each cell of the tables of faults, and each mistake, names one test that no other names; or says that it cannot
     * occur, or where it is the same as above.
     */
    @Test
    void everyFaultAtEveryStepHasATestOfItsOwn() throws IOException {
        List<String> empty = new ArrayList<>();
        List<String> named = new ArrayList<>();
        boolean ofFaults = false;
        for (String line : Files.readAllLines(ROOT.resolve("docs/proof/faults.md"))) {
            String[] cells = line.split("\\|", -1);
            boolean header = line.startsWith("| fault at") || line.startsWith("| mistake");
            ofFaults = header || (ofFaults && line.startsWith("|"));
            for (int i = 2; i < cells.length - 1 && ofFaults && !header && line.startsWith("| "); i++) {
                String cell = cells[i].strip();
                Matcher test = CELL.matcher(cell);
                if (test.find()) {
                    named.add(test.group(1));
                } else if (!cell.startsWith("—") && !cell.equals("as above")) {
                    empty.add(line + " at column " + i);
                }
            }
        }
        System.out.printf("docs/proof/faults.md: all %d that can occur have a test.%n", named.size());
        assertThat(empty).isEmpty();
        assertThat(named).doesNotHaveDuplicates().hasSizeGreaterThan(150);
    }

    /** What programs have written decides, also of the sentence above it. */
    @Test
    void figuresOfTheReadmeAreThoseOfTheRuns() throws IOException {
        String evidence = Files.readString(ROOT.resolve("docs/proof/evidence.md"));
        String torture = evidence.substring(evidence.indexOf("<!-- torture: generated from here on -->"));
        Set<String> counted = Stream.of(
                        "\\| (?:keys|calls answered under faults|server crashes) \\|[^|]+\\|",
                        "\\| worker killed \\|",
                        "\\| COMMIT(?:'s answer lost| dropped| held back) \\|")
                .map(row ->
                        Pattern.compile(row + " ([\\d,]+) \\|").matcher(torture).results())
                .flatMap(DocumentationTest::cellsAndTheirSum)
                .collect(Collectors.toSet());
        Set<String> measured = Pattern.compile("\\| [\\d.]+ \\([^|]+\\| (\\d\\.\\d\\d) \\(")
                .matcher(Files.readString(ROOT.resolve("docs/proof/benchmarks.md")))
                .results()
                .map(cell -> cell.group(1))
                .collect(Collectors.toSet());
        String readme = Files.readString(ROOT.resolve("README.md"));
        String figures = readme.substring(readme.indexOf("## Figures"), readme.indexOf("## Run it"));

        assertThat(numbers("\\d+(?:,\\d{3})+", figures)).isNotEmpty().isSubsetOf(counted);
        assertThat(numbers("\\d+(?:,\\d{3})+", evidence.substring(0, evidence.indexOf("```"))))
                .isNotEmpty()
                .isSubsetOf(counted);
        assertThat(numbers("\\b\\d\\.\\d\\d\\b", figures)).hasSizeGreaterThan(3).isSubsetOf(measured);
    }

    /** What the table of runs says of a run on this page stands in the section of that run, too. */
    @Test
    void figuresOfTheTableOfRunsStandInTheirSections() throws IOException {
        String evidence = Files.readString(ROOT.resolve("docs/proof/evidence.md"));
        List<MatchResult> rows = Pattern.compile("(?m)^\\| \\[[^]]+]\\(#([a-z-]+)\\)[^|]*\\|([^|]+)\\|")
                .matcher(evidence)
                .results()
                .toList();

        assertThat(rows).hasSizeGreaterThan(5).allSatisfy(row -> {
            String section = Arrays.stream(evidence.split("\n## "))
                    .filter(text -> text.lines()
                            .findFirst()
                            .orElseThrow()
                            .toLowerCase(Locale.ROOT)
                            .replace(' ', '-')
                            .equals(row.group(1)))
                    .findFirst()
                    .orElseThrow();
            assertThat(numbers("\\d+(?:,\\d{3})+", section)).containsAll(numbers("\\d+(?:,\\d{3})+", row.group(2)));
        });
    }

    private static Stream<String> cellsAndTheirSum(Stream<MatchResult> cells) {
        List<Integer> counts = cells.map(cell -> Integer.valueOf(cell.group(1).replace(",", "")))
                .toList();
        return Stream.concat(
                        counts.stream(),
                        Stream.of(counts.stream().mapToInt(Integer::intValue).sum()))
                .map(count -> String.format(Locale.ROOT, "%,d", count));
    }

    private static Set<String> numbers(String kind, String text) {
        return Pattern.compile(kind)
                .matcher(text)
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toSet());
    }

    private static List<Path> pages() throws IOException {
        return SourceTree.files(ROOT).stream()
                .filter(file -> file.toString().endsWith(".md"))
                .toList();
    }

    private static boolean leadsSomewhere(Path page, String name, String target) throws IOException {
        if (target == null) {
            return false;
        }
        if (target.startsWith("#") || target.startsWith("https://")) {
            return true;
        }
        Path file = page.resolveSibling(target.replaceFirst("#.*", "")).normalize();
        Matcher test = TEST.matcher(name);
        return Files.exists(file)
                && (!test.matches()
                        || !target.endsWith(".java")
                        || (file.endsWith(test.group(1) + ".java")
                                && Files.readString(file).contains(" " + test.group(2) + "(")));
    }
}
