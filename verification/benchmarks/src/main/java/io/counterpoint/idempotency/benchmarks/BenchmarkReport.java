package io.counterpoint.idempotency.benchmarks;

import com.fasterxml.jackson.core.type.TypeReference;
import io.counterpoint.idempotency.benchmarks.Findings.Table;
import io.counterpoint.idempotency.programs.GeneratedPart;
import io.counterpoint.idempotency.programs.Json;
import io.counterpoint.idempotency.programs.Markdown;
import io.counterpoint.idempotency.programs.TextTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The files with the results. {@code results.jsonl} contains the latest section of each subcommand, one JSON object per
 * line; {@code benchmarks.md}, {@code benchmark-tables.md} and {@code benchmarks.svg} are generated from it. The
 * targets only appear on the terminal and in the results.
 *
 * @param folder the folder of the pages and the picture
 * @param results the file with the sections
 */
record BenchmarkReport(Path folder, Path results) {

    private static final GeneratedPart PART =
            new GeneratedPart("<!-- Everything below is written by the benchmarks; do not edit it. -->", "");

    private static final String PICTURE =
            "![Throughput of new keys with 8 callers: this library, a unique column by hand and peers](benchmarks.svg)";

    /** Replaces the section of a subcommand, and keeps all others. */
    void put(Section section) throws IOException {
        List<Section> sections = sections();
        int place = sections.stream().map(Section::name).toList().indexOf(section.name());
        if (place < 0) {
            sections.add(section);
        } else {
            sections.set(place, section);
        }
        Files.createDirectories(folder);
        Files.write(
                results, sections.stream().map(one -> Json.of(one).toString()).toList());
        redraw();
    }

    List<Section> sections() throws IOException {
        List<Section> sections = new ArrayList<>();
        if (Files.exists(results)) {
            for (String line : Files.readAllLines(results)) {
                sections.add(Json.parse(line, new TypeReference<>() {}));
            }
        }
        return sections;
    }

    /** Regenerates the pages and the picture from earlier measurements. */
    void redraw() throws IOException {
        Markdown choice = new Markdown().paragraph(PICTURE);
        Markdown others = new Markdown();
        List<Section> sections = sections();
        for (Section section : sections) {
            add(section, section.name().equals(ChooseBenchmark.NAME) ? choice : others);
        }
        write("benchmarks.md", choice);
        write("benchmark-tables.md", others);
        Files.writeString(folder.resolve("benchmarks.svg"), Plot.of(sections));
    }

    private void write(String name, Markdown part) throws IOException {
        Path page = folder.resolve(name);
        if (!Files.exists(page)) {
            Files.writeString(page, "# Benchmarks\n");
        }
        PART.write(page, part.text());
    }

    private static void add(Section section, Markdown page) {
        page.heading(2, section.title())
                .paragraph("`" + section.command() + "`, " + section.date() + ". " + section.machine());
        for (Table table : section.found().tables()) {
            page.paragraph("**" + table.title() + "**").table(text(table)).list(table.notes());
        }
    }

    private static TextTable text(Table table) {
        TextTable text = new TextTable().row(table.header().toArray());
        table.rows().forEach(row -> text.row(row.toArray()));
        return text;
    }

    /** Formats a section for the terminal. */
    static String text(Section section) {
        List<List<String>> targets = section.found().targets().stream()
                .map(target ->
                        List.of(target.what(), target.bound(), target.measured(), target.reached() ? "yes" : "**no**"))
                .toList();
        List<Table> tables = new ArrayList<>(section.found().tables());
        tables.add(
                0,
                new Table(
                        "What has to be reached",
                        List.of("what", "target", "median (quartiles)", "reached"),
                        targets,
                        List.of(),
                        null));
        StringBuilder text = new StringBuilder("\n== " + section.title() + " ==\n" + section.machine() + "\n");
        for (Table table : tables) {
            if (!table.rows().isEmpty()) {
                text.append('\n')
                        .append(table.title())
                        .append('\n')
                        .append(text(table).text().indent(2));
                table.notes().forEach(note -> text.append(note).append('\n'));
            }
        }
        return text.toString();
    }
}
