package io.counterpoint.idempotency.spring.boot.proxies;

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

/**
 * Beans of many shapes with an annotated method, behind proxies of both kinds and beside other annotations. Each runs once
 * for a key by every way that leads to it, or keeps the application from starting with words that say what to do.
 */
class ProxyMatrixTest {

    private static final Map<String, Map<String, List<String>>> OUTCOMES = new LinkedHashMap<>();
    private static final List<String> HOLES = new ArrayList<>();

    @BeforeAll
    static void tryAll() throws IOException {
        LoggingSystem.get(ProxyMatrixTest.class.getClassLoader()).setLogLevel("org.springframework", LogLevel.ERROR);
        List<Cell> cells = Cell.all();
        Map<String, String> sources = new TreeMap<>();
        cells.forEach(cell -> sources.putAll(cell.sources()));
        ClassLoader classes = Compiled.of(sources);
        for (Cell cell : cells) {
            for (boolean classProxies : new boolean[] {true, false}) {
                String outcome = new Trial(cell, classProxies, classes).outcome();
                String row = cell.shape() + ", " + cell.result().type() + ", " + (classProxies ? "class" : "interface");
                OUTCOMES.computeIfAbsent(row, any -> new LinkedHashMap<>())
                        .computeIfAbsent(outcome, any -> new ArrayList<>())
                        .add(cell.companion().name());
                if (!outcome.equals(Trial.ONCE) && !outcome.startsWith(Trial.REFUSED)) {
                    HOLES.add(row + ", " + cell.companion().name() + ": " + outcome);
                }
            }
        }
        Files.writeString(Path.of("target", "proxies.txt"), String.join("\n", table()));
    }

    private static List<String> table() {
        List<String> lines = new ArrayList<>();
        OUTCOMES.forEach((row, outcomes) -> {
            lines.add(row);
            outcomes.forEach(
                    (outcome, companions) -> lines.add("    " + String.join(", ", companions) + ": " + outcome));
        });
        return lines;
    }

    @Test
    void everyBeanRunsOnceOrIsRefusedAtTheStart() {
        assertThat(HOLES).isEmpty();
    }
}
