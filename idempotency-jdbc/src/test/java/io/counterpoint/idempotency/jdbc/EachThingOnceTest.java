package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * No block of code stands twice in the sources. Blank lines, comments, imports and lines of punctuation alone do not count,
 * and neither does the white space around a line.
 */
class EachThingOnceTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final int LINES = 25;
    private static final Pattern SOURCE = Pattern.compile(".*\\.(java|kts?)");
    private static final Pattern NO_CODE = Pattern.compile("(//|/\\*|\\*|package |import ).*|[^\\p{Alnum}]*");

    private record Line(String place, String text) {}

    @Test
    void noBlockOfCodeStandsTwice() throws IOException {
        assertThat(repetitions(sources())).as("blocks of code that stand twice").isEmpty();
    }

    @Test
    void aCopyIsFoundWhereverItsLinesBegin() {
        String block = "one();\ntwo();\n".repeat(3) + "x".repeat(40).replace("x", "call(x);\n// Why.\n}\n\n");
        String copy = block.replace("call", "    call").replace("// Why.", "");

        assertThat(repetitions(List.of(code("A.java", block), code("B.java", "other();\n" + copy))))
                .containsExactly("A.java:1 and B.java:2, 46 lines");
        assertThat(repetitions(List.of(code("A.java", "one();\n".repeat(49))))).isEmpty();
        assertThat(repetitions(List.of(code("A.java", "one();\n".repeat(50)))))
                .containsExactly("A.java:1 and A.java:26, 25 lines");
    }

    /** Users copy them, so both have to stand there. */
    @Test
    void tablesOfMySqlAreThoseOfMariaDbButForVersionAndCollation() throws IOException {
        List<Path> ofMySql = SourceTree.files(ROOT).stream()
                .filter(file -> file.toString().endsWith("mysql.sql"))
                .toList();

        assertThat(ofMySql).hasSize(6);
        for (Path file : ofMySql) {
            Path ofMariaDb = Path.of(file.toString().replaceAll("mysql.sql$", "mariadb.sql"));
            assertThat(Files.readString(file)
                            .replace("MySQL 8.0.17", "MariaDB 10.6")
                            .replace("utf8mb4_0900_bin", "utf8mb4_nopad_bin"))
                    .as(file.toString())
                    .isEqualTo(Files.readString(ofMariaDb));
        }
    }

    /** Each repetition, with the first place of its block. */
    private static List<String> repetitions(List<List<Line>> sources) {
        var blocks = new HashMap<List<String>, Block>();
        List<String> found = new ArrayList<>();
        for (List<Line> source : sources) {
            List<String> texts = source.stream().map(Line::text).toList();
            int end = 0;
            for (int at = 0; at + LINES <= source.size(); at++) {
                Block here = new Block(source, at);
                Block before = blocks.putIfAbsent(texts.subList(at, at + LINES), here);
                if (before != null && at >= end && !before.reaches(here)) {
                    int length = before.linesLike(here);
                    found.add(before.line(0).place() + " and " + here.line(0).place() + ", " + length + " lines");
                    end = at + length;
                }
            }
        }
        return found;
    }

    private record Block(List<Line> source, int at) {
        Line line(int offset) {
            return source.get(at + offset);
        }

        boolean reaches(Block later) {
            return source == later.source && at + LINES > later.at;
        }

        int linesLike(Block later) {
            int longest = Math.min(
                    later.source.size() - later.at, source == later.source ? later.at - at : source.size() - at);
            int length = LINES;
            while (length < longest
                    && line(length).text().equals(later.line(length).text())) {
                length++;
            }
            return length;
        }
    }

    private static List<List<Line>> sources() throws IOException {
        List<List<Line>> sources = new ArrayList<>();
        for (Path file : SourceTree.files(ROOT)) {
            if (SOURCE.matcher(file.toString()).matches()) {
                sources.add(code(ROOT.relativize(file).toString(), Files.readString(file)));
            }
        }
        return sources;
    }

    private static List<Line> code(String path, String text) {
        List<String> lines = text.lines().map(String::strip).toList();
        List<Line> code = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            if (!NO_CODE.matcher(lines.get(i)).matches()) {
                code.add(new Line(path + ":" + (i + 1), lines.get(i)));
            }
        }
        return code;
    }
}
