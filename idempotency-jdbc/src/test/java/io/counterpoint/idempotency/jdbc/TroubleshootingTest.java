package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.http.ProblemType;
import io.counterpoint.idempotency.internal.Symptom;
import io.counterpoint.idempotency.testing.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Each message that names a section of docs/troubleshooting.md finds it, and each section is named or says that none does. */
class TroubleshootingTest {

    private static final Path ROOT = Path.of("..");
    private static final Path PAGE = ROOT.resolve("docs/troubleshooting.md");
    private static final List<String> ANCHORS =
            Arrays.stream(Symptom.values()).map(Symptom::anchor).toList();

    @Test
    void everySectionIsNamedByAMessageOrSaysThatNoneLeadsThere() throws IOException {
        Map<String, String> sections = sections();

        assertThat(sections.keySet()).containsAll(ANCHORS);
        assertThat(sections)
                .allSatisfy((name, text) -> assertThat(text.contains("No message links here"))
                        .as(name)
                        .isEqualTo(!ANCHORS.contains(name)));
    }

    @Test
    void everySectionSaysWhatToDoAndWhetherAskingAgainIsSafe() throws IOException {
        assertThat(sections())
                .allSatisfy(
                        (name, text) -> assertThat(text).as(name).containsPattern("\\*\\*Do\\*\\*|\\|---\\|---\\|"));
        assertThat(sections().entrySet().stream()
                        .filter(section -> !section.getValue().contains("**Retry**"))
                        .map(Map.Entry::getKey))
                .as("an application that does not start, or a test")
                .containsExactlyInAnyOrder("start-refused", "method-refused", "transactional-test");
    }

    @Test
    void everyAddressOfASymptomIsInAMessage() throws IOException {
        StringBuilder main = new StringBuilder();
        for (Path source : SourceTree.files(ROOT)) {
            if (source.toString().endsWith(".java") && source.toString().contains("src/main")) {
                main.append(Files.readString(source));
            }
        }

        assertThat(Arrays.stream(Symptom.values())).allMatch(symptom -> main.indexOf("Symptom." + symptom) > 0);
    }

    @Test
    void everyProblemOfTheFilterIsOnThePage() throws IOException {
        String page = Files.readString(PAGE);
        Map<String, String> sections = sections();

        assertThat(Arrays.stream(ProblemType.values()).map(ProblemType::slug))
                .allMatch(slug -> sections.containsKey(slug)
                        || page.contains(" [`" + slug + "`](http-clients.md#" + slug + ") "));
    }

    /** Of the page itself: the files that links lead to are DocumentationTest's. */
    @Test
    void everyLinkWithinThePageLeadsToASection() throws IOException {
        String page = Files.readString(PAGE);
        List<String> headings = Pattern.compile("(?m)^#+ (.+)$")
                .matcher(page)
                .results()
                .map(heading ->
                        heading.group(1).toLowerCase(java.util.Locale.ROOT).replace(' ', '-'))
                .toList();

        assertThat(Pattern.compile("\\(#([^)]+)\\)").matcher(page).results().map(link -> link.group(1)))
                .hasSizeGreaterThan(30)
                .isSubsetOf(headings);
    }

    /** What stands under each heading of the third order, up to the next of any. */
    private static Map<String, String> sections() throws IOException {
        return Pattern.compile("(?ms)^### ([^\\n]+)\\n(.*?)(?=^##|\\z)")
                .matcher(Files.readString(PAGE))
                .results()
                .collect(Collectors.toMap(section -> section.group(1), (MatchResult section) -> section.group(2)));
    }
}
