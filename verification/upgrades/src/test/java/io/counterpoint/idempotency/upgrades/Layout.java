package io.counterpoint.idempotency.upgrades;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** The earlier layouts of the table, and the last version that created each of them. */
enum Layout {
    /** Seven checks on PostgreSQL and six on H2. */
    ONE(1, "76c9238102a1896aaf61afdfee46764a2ea6fa84"),
    /** One check. */
    TWO(2, "95c52cf7bcb9e220e297d2126e45b1634d3ca689");

    private final int number;
    private final String commit;

    Layout(int number, String commit) {
        this.number = number;
        this.commit = commit;
    }

    int number() {
        return number;
    }

    String commit() {
        return commit;
    }

    String schema(String file) throws IOException, InterruptedException {
        return Version.schema(commit, file);
    }

    /** The statements of the page that bring PostgreSQL's table from this layout to the current one. */
    static List<String> migration() throws IOException {
        String page = Files.readString(Path.of("../../docs/operate-reference.md"));
        int begin = page.indexOf("-- PostgreSQL: the layout");
        String block = page.substring(begin, page.indexOf("```", begin)).replaceAll("(?m)^--.*$", "");
        return Arrays.stream(block.split(";", -1))
                .map(String::strip)
                .filter(statement -> !statement.isEmpty())
                .toList();
    }
}
