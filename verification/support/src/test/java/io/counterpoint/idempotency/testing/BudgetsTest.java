package io.counterpoint.idempotency.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each module stays within its line of {@code verification/budgets.txt}. Lines of code count: no blank lines, no comments, and
 * nothing that the build generates.
 */
class BudgetsTest {

    private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

    private record Size(int main, int test) {
        Size plus(boolean isMain, int lines) {
            return isMain ? new Size(main + lines, test) : new Size(main, test + lines);
        }
    }

    @Test
    void eachModuleStaysWithinItsBudget() throws IOException {
        assertThat(problems(ROOT)).as("verification/budgets.txt").isEmpty();
    }

    @Test
    void moduleAboveItsBudgetIsNamedWithItsSize(@TempDir Path root) throws IOException {
        project(root, "one 3 2 a reason");

        assertThat(problems(root)).isEmpty();
        write(root, "one/src/main/java/Planted.java", "class Planted {}\n");
        assertThat(problems(root))
                .containsExactly("one: main has 4 lines and a budget of 3: remove some, or raise it with the reason");
        write(root, "one/src/it/kotlin/Planted.kt", "class Planted\n");
        assertThat(problems(root))
                .contains("one: test has 3 lines and a budget of 2: remove some, or raise it with the reason");
    }

    @Test
    void staleAndMissingLinesAreNamed(@TempDir Path root) throws IOException {
        project(root, "one 4 2 a reason", "gone 1 1 a reason");
        write(root, "two/pom.xml", "");
        write(root, "two/src/main/java/Two.java", "class Two {}\n");

        assertThat(problems(root))
                .containsExactly(
                        "gone: is no module with code: remove its line",
                        "one: main has 3 lines and a budget of 4, over 5 % more: lower it",
                        "two: has no budget: add the line «two 1 0 reason»");
    }

    @Test
    void blankLinesAndCommentsAreNoCode() {
        assertThat(linesOfCode("""
                /*
                 * A licence.
                 */
                package one; // counts

                /** A comment. */
                class One {
                    // Why.
                    /* Before */ int two;
                    String text = "/* not one";
                }
                """)).isEqualTo(5);
    }

    private static void project(Path root, String... budgets) throws IOException {
        write(root, "verification/budgets.txt", "# module main test reason\n" + String.join("\n", budgets) + "\n");
        write(root, "one/pom.xml", "");
        write(root, "one/src/main/java/One.java", "class One {\n\n    int one; // comment\n}\n");
        write(root, "one/src/test/java/OneTest.java", "class OneTest {\n}\n");
        write(root, "one/target/generated-sources/Generated.java", "class Generated {}\n");
    }

    private static void write(Path root, String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private static List<String> problems(Path root) throws IOException {
        var sizes = sizes(root);
        var problems = new TreeMap<String, List<String>>();
        for (String line : Files.readAllLines(root.resolve("verification/budgets.txt"))) {
            if (!line.startsWith("#")) {
                String[] words = line.split(" ", 4);
                assertThat(words).as("module main test reason: " + line).hasSize(4);
                Size size = sizes.remove(words[0]);
                problems.put(words[0], problems(words, size));
            }
        }
        sizes.forEach((module, size) -> problems.put(
                module,
                List.of("has no budget: add the line «" + module + " " + size.main + " " + size.test + " reason»")));
        List<String> all = new ArrayList<>();
        problems.forEach((module, each) -> each.forEach(problem -> all.add(module + ": " + problem)));
        return all;
    }

    private static List<String> problems(String[] budget, Size size) {
        if (size == null) {
            return List.of("is no module with code: remove its line");
        }
        List<String> problems = new ArrayList<>();
        compare("main", size.main, Integer.parseInt(budget[1]), problems);
        compare("test", size.test, Integer.parseInt(budget[2]), problems);
        return problems;
    }

    private static void compare(String kind, int lines, int budget, List<String> problems) {
        String found = kind + " has " + lines + " lines and a budget of " + budget;
        if (lines > budget) {
            problems.add(found + ": remove some, or raise it with the reason");
        } else if (budget > lines * 1.05) {
            problems.add(found + ", over 5 % more: lower it");
        }
    }

    private static SortedMap<String, Size> sizes(Path root) throws IOException {
        SortedMap<String, Size> sizes = new TreeMap<>();
        for (Path file : SourceTree.files(root)) {
            String path = root.relativize(file).toString().replace('\\', '/');
            int sources = path.indexOf("/src/");
            if (sources > 0 && (path.endsWith(".java") || path.endsWith(".kt"))) {
                boolean isMain = path.startsWith("/src/main/", sources);
                int lines = linesOfCode(Files.readString(file));
                sizes.merge(
                        path.substring(0, sources),
                        new Size(0, 0).plus(isMain, lines),
                        (size, more) -> size.plus(isMain, lines));
            }
        }
        return sizes;
    }

    private static int linesOfCode(String text) {
        int lines = 0;
        boolean inComment = false;
        for (String each : text.lines().map(String::strip).toList()) {
            String line = each;
            if (inComment || line.startsWith("/*")) {
                int end = line.indexOf("*/");
                inComment = end < 0;
                line = inComment ? "" : line.substring(end + 2).strip();
            }
            if (!line.isEmpty() && !line.startsWith("//")) {
                lines++;
            }
        }
        return lines;
    }
}
