package io.counterpoint.idempotency.spring.boot.proxies;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.core.io.ClassPathResource;

/**
 * Beans of many shapes with an annotated method, behind proxies of both kinds and beside other annotations. Each runs once
 * for a key by every way that leads to it, or keeps the application from starting with words that say what to do.
 */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class ProxyMatrixTest {

    /** The outcome of each cell, by its row and column. */
    private final Map<String, Map<String, String>> found = new LinkedHashMap<>();

    /** The other cells are those of {@link EveryProxyTest}. */
    boolean isTried(Cell cell) {
        return !cell.isProductOfUsual();
    }

    @BeforeAll
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void tryAll() throws IOException {
        LoggingSystem.get(ProxyMatrixTest.class.getClassLoader()).setLogLevel("org.springframework", LogLevel.OFF);
        List<Cell> cells = Cell.all().stream()
                .filter(this::isTried)
                .filter(cell -> cell.shape().matches(System.getProperty("proxies.shapes", ".*")))
                .toList();
        Map<String, String> sources = new TreeMap<>();
        cells.forEach(cell -> sources.putAll(cell.sources()));
        ClassLoader classes = Compiled.of(sources);
        List<List<String>> outcomes = cells.parallelStream()
                .map(cell ->
                        List.of(new Trial(cell, true, classes).outcome(), new Trial(cell, false, classes).outcome()))
                .toList();
        for (int i = 0; i < cells.size(); i++) {
            add(cells.get(i), outcomes.get(i).get(0), outcomes.get(i).get(1));
        }
        Files.write(Path.of("target", getClass().getSimpleName() + ".txt"), lines());
    }

    private void add(Cell cell, String byClass, String byInterface) {
        Map<String, String> row =
                found.computeIfAbsent(cell.shape() + ", " + cell.result().type(), any -> new LinkedHashMap<>());
        String column = cell.companion().name();
        if (byClass.equals(byInterface)) {
            row.put(column, byClass);
        } else {
            row.put(column + " (class)", byClass);
            row.put(column + " (interface)", byInterface);
        }
    }

    private List<String> lines() {
        List<String> lines = new ArrayList<>();
        found.forEach((name, row) -> {
            lines.add(name);
            Map<String, List<String>> byOutcome = new LinkedHashMap<>();
            row.forEach((column, outcome) ->
                    byOutcome.computeIfAbsent(outcome, any -> new ArrayList<>()).add(column));
            byOutcome.forEach((outcome, columns) -> lines.add("    " + String.join(", ", columns) + ": " + outcome));
        });
        return lines;
    }

    /** The same as {@link #lines} has made of it. */
    private static Map<String, Map<String, String>> expected() throws IOException {
        Map<String, Map<String, String>> expected = new LinkedHashMap<>();
        Map<String, String> row = new LinkedHashMap<>();
        for (String line : new ClassPathResource("proxies.txt")
                .getContentAsString(UTF_8)
                .lines()
                .toList()) {
            if (line.startsWith("    ")) {
                int end = line.indexOf(": ");
                for (String column : line.substring(4, end).split(", ", -1)) {
                    row.put(column, line.substring(end + 2));
                }
            } else {
                row = expected.computeIfAbsent(line, any -> new LinkedHashMap<>());
            }
        }
        return expected;
    }

    @Test
    void everyBeanRunsOnceOrIsRefusedAtTheStart() {
        List<String> holes = new ArrayList<>();
        found.forEach((name, row) -> row.forEach((column, outcome) -> {
            if (!outcome.equals(Trial.ONCE) && !outcome.startsWith(Trial.REFUSED)) {
                holes.add(name + ", " + column + ": " + outcome);
            }
        }));
        assertThat(holes).isEmpty();
    }

    /** A change of an outcome shows as a change of the table. What this run found stands in target. */
    @Test
    void outcomesAreThoseOfTheTable() throws IOException {
        Map<String, Map<String, String>> expected = expected();
        found.forEach((name, row) ->
                assertThat(expected.getOrDefault(name, Map.of())).as(name).containsAllEntriesOf(row));
    }
}
