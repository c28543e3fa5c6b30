package io.counterpoint.idempotency.spring.shapes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.boot.SpringBootVersion;

/** The table of docs/spring-boot.md: a column for each line of Spring Boot. */
final class ShapesPage {

    private static final Path PAGE = Path.of("../../docs/spring-boot.md");
    private static final String HEAD = "| shape | Spring Boot 3.5 | Spring Boot 4.1 |\n|---|---|---|\n";
    private static final int COLUMN = SpringBootVersion.getVersion().startsWith("3.5.") ? 2 : 3;

    private ShapesPage() {}

    private static List<String> lines() throws IOException {
        String page = Files.readString(PAGE);
        return page.substring(page.indexOf(HEAD) + HEAD.length())
                .lines()
                .takeWhile(line -> line.startsWith("|"))
                .toList();
    }

    /** What the page says of the line that this test runs with. */
    static Map<String, String> outcomes() throws IOException {
        Map<String, String> outcomes = new LinkedHashMap<>();
        for (String line : lines()) {
            String[] cells = line.split(" ?\\| ?", -1);
            outcomes.put(cells[1], cells[COLUMN]);
        }
        return outcomes;
    }

    /** Writes a column, and leaves the other. */
    static void write(Map<String, String> found) throws IOException {
        Map<String, String> others = new LinkedHashMap<>();
        for (String line : lines()) {
            String[] cells = line.split(" ?\\| ?", -1);
            others.put(cells[1], cells[5 - COLUMN]);
        }
        StringBuilder table = new StringBuilder(HEAD);
        found.forEach((shape, outcome) -> {
            String other = others.getOrDefault(shape, "not tried");
            table.append(
                    "| " + shape + " | " + (COLUMN == 2 ? outcome + " | " + other : other + " | " + outcome) + " |\n");
        });
        String before = HEAD + lines().stream().map(line -> line + "\n").collect(Collectors.joining());
        Files.writeString(PAGE, Files.readString(PAGE).replace(before, table));
    }
}
