package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the documentation points at is there: files, and the tests that show a claim. */
class DocumentationTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern DEFINITION = Pattern.compile("(?m)^\\[([^\\]]+)\\]: (\\S+)$");
    private static final Pattern LINK = Pattern.compile("\\[([^\\]]+)\\](?:\\(([^)]+)\\)|\\[([^\\]]+)\\])");
    private static final Pattern TEST = Pattern.compile("(\\w+)\\.(\\w+)");

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

    private static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(file -> file.toString().endsWith(".md"))
                    .filter(file -> !file.toString().contains("/target/"))
                    .toList();
        }
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
