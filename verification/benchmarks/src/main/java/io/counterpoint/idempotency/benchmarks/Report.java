package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.Section.Table;
import io.counterpoint.idempotency.benchmarks.Section.Target;
import io.counterpoint.idempotency.programs.TextTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The files that say what was measured: {@link Results} keeps the sections, the newest of each subcommand;
 * {@code benchmarks.md}, {@code benchmark-tables.md} and {@code benchmarks.svg} are made from it. What had to be reached is
 * for the terminal and the results only.
 */
final class Report {

    private static final String BEGIN = "<!-- Everything below is written by the benchmarks; do not edit it. -->";

    private static final String PICTURE =
            "\n![Throughput of new keys with 8 callers: this library, a unique column by hand and peers](benchmarks.svg)\n";

    private final Path folder;
    private final Path results;

    /**
     * @param folder of the page and the picture
     * @param results the file of the sections
     */
    Report(Path folder, Path results) {
        this.folder = folder;
        this.results = results;
    }

    /** Replaces the section of a subcommand and keeps all others. */
    void put(String name, Section section) throws IOException {
        Map<String, Section> sections = Results.read(results);
        sections.put(name, section);
        write(sections);
    }

    /** Makes the page and the picture again, from what was measured before. */
    void redraw() throws IOException {
        write(Results.read(results));
    }

    private void write(Map<String, Section> sections) throws IOException {
        Files.createDirectories(folder);
        Results.write(results, sections);
        Map<String, Section> others = new LinkedHashMap<>(sections);
        Section choice = others.remove(ChooseBenchmark.NAME);
        writePage("benchmarks.md", PICTURE + markdown(choice == null ? List.of() : List.of(choice)));
        writePage("benchmark-tables.md", markdown(others.values()));
        Files.writeString(folder.resolve("benchmarks.svg"), Plot.of(sections.values()));
    }

    /** Keeps what stands above the mark. */
    private void writePage(String name, String generated) throws IOException {
        Path page = folder.resolve(name);
        String written = Files.exists(page) ? Files.readString(page) : "# Benchmarks\n\n" + BEGIN;
        int begin = written.indexOf(BEGIN);
        Files.writeString(page, (begin < 0 ? written + "\n" : written.substring(0, begin)) + BEGIN + "\n" + generated);
    }

    /** A section for the terminal. */
    static String text(Section section) {
        StringBuilder text = new StringBuilder("\n== " + section.title() + " ==\n" + section.machine() + "\n");
        tables(section).forEach(table -> {
            text.append('\n').append(table.title()).append('\n').append(columns(table));
            table.notes().forEach(note -> text.append(note).append('\n'));
        });
        return text.toString();
    }

    private static String markdown(Collection<Section> sections) {
        StringBuilder text = new StringBuilder();
        for (Section section : sections) {
            text.append("\n## ").append(section.title()).append("\n\n");
            text.append("`").append(section.command()).append("`, ").append(section.date());
            text.append(". ").append(section.machine()).append("\n");
            section.tables().forEach(table -> table(text, table));
        }
        return text.toString();
    }

    private static void table(StringBuilder text, Table table) {
        text.append("\n**").append(table.title()).append("**\n\n").append(row(table.header()));
        text.append(row(table.header().stream().map(column -> "---").toList()));
        table.rows().forEach(row -> text.append(row(row)));
        table.notes().forEach(note -> text.append("\n- ").append(note));
        text.append(table.notes().isEmpty() ? "" : "\n");
    }

    private static List<Table> tables(Section section) {
        List<Table> tables = new ArrayList<>();
        if (!section.targets().isEmpty()) {
            tables.add(targets(section.targets()));
        }
        tables.addAll(section.tables());
        return tables;
    }

    private static Table targets(List<Target> targets) {
        return new Table(
                "What has to be reached",
                List.of("what", "target", "median (quartiles)", "reached"),
                targets.stream().map(Report::row).toList(),
                List.of());
    }

    private static List<String> row(Target target) {
        return List.of(target.what(), target.bound(), target.measured(), target.reached() ? "yes" : "**no**");
    }

    private static String row(List<String> cells) {
        return cells.stream().collect(Collectors.joining(" | ", "| ", " |\n"));
    }

    /** The same as columns of equal width. */
    private static String columns(Table table) {
        TextTable columns = new TextTable().row(table.header().toArray());
        table.rows().forEach(row -> columns.row(row.toArray()));
        return columns.text().indent(2);
    }
}
