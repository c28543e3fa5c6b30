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
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.core.io.ClassPathResource;

/**
 * Beans of many shapes with an annotated method, behind proxies of both kinds and beside other annotations. Each runs once
 * for a key by every way that leads to it, or keeps the application from starting with words that say what to do.
 */
class ProxyMatrixTest {

    private static final String SPRING_7 = "@Retryable of Spring 7";
    private static final List<String> TABLE = new ArrayList<>();
    private static final List<String> HOLES = new ArrayList<>();

    @BeforeAll
    static void tryAll() throws IOException {
        LoggingSystem.get(ProxyMatrixTest.class.getClassLoader()).setLogLevel("org.springframework", LogLevel.ERROR);
        List<Cell> cells = Cell.all().stream()
                .filter(cell -> cell.shape().matches(System.getProperty("proxies.shapes", ".*")))
                .toList();
        Map<String, String> sources = new TreeMap<>();
        cells.forEach(cell -> sources.putAll(cell.sources()));
        ClassLoader classes = Compiled.of(sources);
        List<List<String>> outcomes = cells.parallelStream()
                .map(cell ->
                        List.of(new Trial(cell, true, classes).outcome(), new Trial(cell, false, classes).outcome()))
                .toList();
        tell(cells, outcomes);
        Files.writeString(Path.of("target", "proxies.txt"), String.join("\n", TABLE) + "\n");
    }

    private static void tell(List<Cell> cells, List<List<String>> outcomes) {
        Map<String, Map<String, List<String>>> rows = new LinkedHashMap<>();
        for (int at = 0; at < cells.size(); at++) {
            Cell cell = cells.get(at);
            List<String> both = outcomes.get(at);
            String name = cell.shape() + ", " + cell.result().type();
            Map<String, List<String>> row = rows.computeIfAbsent(name, any -> new LinkedHashMap<>());
            boolean same = both.get(0).equals(both.get(1));
            for (int i = 0; i < (same ? 1 : 2); i++) {
                String column = cell.companion().name() + (same ? "" : i == 0 ? " (class)" : " (interface)");
                String outcome = both.get(i);
                row.computeIfAbsent(outcome, any -> new ArrayList<>()).add(column);
                if (!outcome.equals(Trial.ONCE) && !outcome.startsWith(Trial.REFUSED)) {
                    HOLES.add(name + ", " + column + ": " + outcome);
                }
            }
        }
        rows.forEach((name, row) -> {
            TABLE.add(name);
            row.forEach((outcome, columns) -> TABLE.add("    " + String.join(", ", columns) + ": " + outcome));
        });
    }

    @Test
    void everyBeanRunsOnceOrIsRefusedAtTheStart() {
        assertThat(HOLES).isEmpty();
    }

    /** A change of an outcome shows as a change of the file. What a run found stands in target/proxies.txt. */
    @Test
    void outcomesAreThoseOfTheTable() throws IOException {
        List<String> expected = new ClassPathResource("proxies.txt")
                .getContentAsString(UTF_8)
                .lines()
                .toList();
        boolean spring7 = TABLE.stream().anyMatch(line -> line.contains(SPRING_7));
        assertThat(TABLE)
                .isEqualTo(
                        spring7
                                ? expected
                                : expected.stream()
                                        .map(line -> line.replace(", " + SPRING_7, ""))
                                        .toList());
    }
}
