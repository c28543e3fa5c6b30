package io.counterpoint.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** No published source asks the JDK what a character is: each JDK has a version of Unicode of its own. */
class UnicodeQuestionsTest {

    /** What asks the JDK's version of Unicode, or of its regular expressions. */
    private static final Pattern ASKS_UNICODE = Pattern.compile(
            "\\bCharacter(\\.|::)(?!isSurrogate\\b|isHighSurrogate\\b"
                    + "|isLowSurrogate\\b|charCount\\b|compare\\b|MAX_VALUE\\b|MIN_SURROGATE\\b|MAX_SURROGATE\\b|class\\b)"
                    + "|[.:]strip(Leading|Trailing|Indent)?\\b|[.:]isBlank\\b|[.:]to(Lower|Upper)Case\\b"
                    + "|[.:]equalsIgnoreCase\\b|CASE_INSENSITIVE|regionMatches\\(true|\\bNormalizer\\b|\\bCollator\\b|\\bScanner\\b"
                    + "|\\\\\\\\[pPsSwWdDbBhHvVRX]|\\(\\?[a-zA-Z]*[iuU]|UNICODE_|\\bparse(Unsigned)?(Int|Long|Short|Byte)\\(");

    /** What is allowed: in this file, or in all for {@code *}, with this text in its line, for this reason. */
    private static final Map<String, Map<String, String>> ALLOWED = Map.ofEntries(
            Map.entry("*", Map.of("name().toLowerCase(Locale.ROOT)", "the name of an enum of this library is ASCII")),
            Map.entry("Output.java", Map.of("stripTrailing", "the layout of a terminal")),
            Map.entry("TextTable.java", Map.of("stripTrailing", "the layout of a terminal")),
            Map.entry("RepairResult.java", Map.of("toLowerCase", "words of a report, from an enum's name")),
            Map.entry("Check.java", Map.of("getColumnLabel", "labels of a report's columns")),
            Map.entry("DriverDataSource.java", Map.of("(?i)", "ASCII without a flag; keeps passwords out of URLs")),
            Map.entry("Product.java", Map.of("toLowerCase", "a product's name, compared with ASCII")),
            Map.entry("RecordDatabase.java", Map.of("toLowerCase", "a product's name, compared with ASCII")),
            Map.entry("H2Checks.java", Map.of("row.getString", "names of H2's catalogue")),
            Map.entry("MariaDbChecks.java", Map.of("row.getString", "names of MariaDB's catalogue")),
            Map.entry("Changes.java", Map.of("parseLong", "a number that the server printed")),
            Map.entry("PostgreSqlChecks.java", Map.of("parseLong", "a number that PostgreSQL printed")),
            Map.entry("H2Catalogue.java", Map.of("rows.getString", "names of H2's catalogue")),
            Map.entry("TableFacts.java", Map.of("rows.getString", "names of a database's catalogue")),
            Map.entry(
                    "Catalogue.java",
                    Map.of(
                            "row.getString", "names of MariaDB's catalogue",
                            "\"InnoDB\"", "the name of an engine")),
            Map.entry(
                    "Settings.java",
                    Map.of(
                            "rows.getString", "names of MariaDB's settings",
                            "parseLong", "a number that MariaDB printed",
                            "\\\\d+", "MariaDB's version; ASCII digits without a flag",
                            "version.group", "MariaDB's version",
                            "size.group", "ASCII digits without a flag",
                            "simple.group", "ASCII digits without a flag")),
            Map.entry("ComparisonSettings.java", Map.of("equalsIgnoreCase", "names of columns, as H2 spells them")),
            Map.entry("TableColumns.java", Map.of("equalsIgnoreCase", "names of columns, as H2 spells them")),
            Map.entry("JacksonLine.java", Map.of("COMBINE_UNICODE", "the name of a setting of Jackson")),
            Map.entry("Invalidation.java", Map.of("parseLong", "its digits are seen to be ASCII before")),
            Map.entry("KilledProcesses.java", Map.of("parseInt", "a number that this class printed")),
            Map.entry("RedeliveryWindow.java", Map.of("parseLong", "a number that Kafka printed")),
            Map.entry("IdempotentMethod.java", Map.of("key.text()", "an expression in the source of the application")),
            Map.entry(
                    "MethodExpression.java", Map.of("text.isBlank", "an expression in the source of the application")),
            Map.entry("RetryAfter.java", Map.of("parseLong", "its digits are seen to be ASCII before")),
            Map.entry("JoinedTransactionContract.java", Map.of("parseLong", "a number that the contract printed")));

    @Test
    void noPublishedModuleAsksTheJdkAboutCharacters() throws IOException {
        Map<String, List<String>> asked = new TreeMap<>();
        for (Path source : sources()) {
            List<String> lines = Files.readAllLines(source);
            for (int i = 0; i < lines.size(); i++) {
                String line = lines.get(i);
                boolean isComment = line.matches(" *(\\*|/\\*|//).*");
                if (!isComment && ASKS_UNICODE.matcher(line).find() && !isAllowed(source, line)) {
                    asked.computeIfAbsent(source.toString(), first -> new ArrayList<>())
                            .add((i + 1) + ": " + line);
                }
            }
        }
        assertThat(asked)
                .as(
                        "Use VisibleCharacters, Characters, trim() or a comparison of code points; they answer alike on every JDK")
                .isEmpty();
    }

    private static boolean isAllowed(Path source, String line) {
        return Stream.of("*", source.getFileName().toString())
                .flatMap(name -> ALLOWED.getOrDefault(name, Map.of()).keySet().stream())
                .anyMatch(line::contains);
    }

    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (Path parent : List.of(Path.of(".."), Path.of("../extensions"))) {
            try (Stream<Path> modules = Files.find(parent, 1, (module, attributes) -> isPublished(module))) {
                for (Path module : modules.toList()) {
                    try (Stream<Path> files = Files.walk(module.resolve("src/main"))) {
                        files.filter(file -> file.toString().matches(".*\\.(java|kt)"))
                                .forEach(sources::add);
                    }
                }
            }
        }
        assertThat(sources).hasSizeGreaterThan(300);
        return sources;
    }

    private static boolean isPublished(Path module) {
        return module.getFileName().toString().startsWith("idempotency-")
                && Files.isDirectory(module.resolve("src/main"));
    }
}
