package io.counterpoint.idempotency.benchmarks;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.counterpoint.idempotency.benchmarks.Section.Figure;
import io.counterpoint.idempotency.benchmarks.Section.Table;
import io.counterpoint.idempotency.benchmarks.Section.Target;
import io.counterpoint.idempotency.programs.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The sections in a file, with one JSON object on each line: the head of a section, and then each of its targets, of its
 * tables, and of its variants with all figures of that variant.
 */
final class Results {

    private static final String SECTION = "section";
    private static final String TARGET = "target";
    private static final String TABLE = "table";
    private static final String GROUP = "group";
    private static final String NAME = "name";

    private final Map<String, Section> sections = new LinkedHashMap<>();

    private Results() {}

    /** By subcommand; none if there is no file. */
    static Map<String, Section> read(Path file) throws IOException {
        Results results = new Results();
        if (Files.exists(file)) {
            Section section = new Section("", "", "", "", List.of(), List.of(), List.of());
            for (String text : Files.readAllLines(file)) {
                section = results.add(Json.parse(text), section);
            }
        }
        return results.sections;
    }

    /** The section that the next line belongs to. */
    private Section add(JsonNode line, Section section) {
        if (line.has(SECTION)) {
            Section next = new Section(
                    line.get("title").asText(),
                    line.get("command").asText(),
                    line.get("date").asText(),
                    line.get("machine").asText(),
                    new ArrayList<>(),
                    new ArrayList<>(),
                    new ArrayList<>());
            sections.put(line.get(SECTION).asText(), next);
            return next;
        }
        if (line.has(TARGET)) {
            section.targets().add(Json.parse(line.get(TARGET).toString(), new TypeReference<Target>() {}));
        } else if (line.has(TABLE)) {
            section.tables().add(Json.parse(line.get(TABLE).toString(), new TypeReference<Table>() {}));
        } else {
            line.properties().stream()
                    .filter(unit -> unit.getValue().isArray())
                    .forEach(unit -> section.figures()
                            .add(figure(
                                    line.get(GROUP).asText(),
                                    line.get(NAME).asText(),
                                    unit.getKey(),
                                    unit.getValue())));
        }
        return section;
    }

    private static Figure figure(String group, String name, String unit, JsonNode json) {
        List<Double> numbers = Json.parse(json.toString(), new TypeReference<>() {});
        return new Figure(
                group,
                name,
                unit,
                new Quartiles(numbers.get(0), numbers.get(1), numbers.get(2)),
                numbers.size() > 3 ? numbers.get(3) : 0);
    }

    static void write(Path file, Map<String, Section> sections) throws IOException {
        List<ObjectNode> lines = new ArrayList<>();
        sections.forEach((name, section) -> {
            lines.add(Json.object()
                    .put(SECTION, name)
                    .put("title", section.title())
                    .put("command", section.command())
                    .put("date", section.date())
                    .put("machine", section.machine()));
            section.targets().forEach(target -> lines.add(Json.object().set(TARGET, Json.of(target))));
            section.tables().forEach(table -> lines.add(Json.object().set(TABLE, Json.of(table))));
            section.figures().forEach(figure -> addTo(lines, figure));
        });
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.write(file, lines.stream().map(JsonNode::toString).toList());
    }

    /** To the line of the same variant, if that is the last one. */
    private static void addTo(List<ObjectNode> lines, Figure figure) {
        ObjectNode line = lines.get(lines.size() - 1);
        if (!figure.group().equals(line.path(GROUP).asText())
                || !figure.name().equals(line.path(NAME).asText())
                || line.has(figure.unit())) {
            line = Json.object().put(GROUP, figure.group()).put(NAME, figure.name());
            lines.add(line);
        }
        List<Double> numbers = new ArrayList<>(List.of(
                figure.value().lower(), figure.value().median(), figure.value().upper()));
        if (figure.bound() != 0) {
            numbers.add(figure.bound());
        }
        line.set(figure.unit(), Json.of(numbers));
    }
}
