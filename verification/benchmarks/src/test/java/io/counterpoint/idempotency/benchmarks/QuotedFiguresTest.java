package io.counterpoint.idempotency.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What README and the pages quote is what was measured, and what the pages of the benchmarks show. */
class QuotedFiguresTest {

    private static final Path ROOT = Path.of("../..");
    private static final String CHOICE = "8 callers, local, pool of 8";

    /** A quoted sentence, with the ratio of a variant in each pair of brackets. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "README.md; [CLAIM_FIRST] of the unprotected throughput with claim first,"
                        + " [SINGLE_TRANSACTION] in a single transaction, [RECORD_LAST] with record last.",
                "README.md; reaches [by hand, unique column], but cannot",
                "docs/choose.md; | throughput relative to no protection | [CLAIM_FIRST] | [SINGLE_TRANSACTION], with a plan"
                        + " [SINGLE_TRANSACTION, plan] | [RECORD_LAST] | not measured"
            })
    void quotedRatioIsTheMeasuredOne(String page, String quoted) throws IOException {
        String expected = quoted;
        for (Findings.Figure figure : figures("choose", CHOICE)) {
            Quartiles ratio = figure.values().get("ratio to " + Variants.UNPROTECTED);
            if (ratio != null) {
                expected = expected.replace("[" + figure.name() + "]", Quartiles.number(ratio.median(), 2));
            }
        }

        assertThat(expected).as("a variant without a figure").doesNotContain("[");
        assertThat(Files.readString(ROOT.resolve(page)).replaceAll("\\s+", " ")).contains(expected);
    }

    /** Each row of the table of duplicates has the figures measured locally and, in parentheses, over a network. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "RECORD_LAST; `RECORD_LAST`",
                "RECORD_LAST, turns; `RECORD_LAST` with turns, duplicates answered at once",
                "RECORD_LAST, turns, duplicates wait; `RECORD_LAST` with turns, duplicates wait",
                "SINGLE_TRANSACTION; `SINGLE_TRANSACTION`",
                "CLAIM_FIRST; `CLAIM_FIRST`"
            })
    void rowOfDuplicatesIsTheMeasuredOne(String variant, String row) throws IOException {
        String expected = "| " + row + " | " + duplicates("No duplicates, ", Variants.UNPROTECTED, variant) + " | "
                + duplicates("One key in five twice at once, by two processes, ", Variants.SINGLE, variant) + " | "
                + duplicates("64 calls of each key at once, by two processes, ", Variants.SINGLE, variant) + " |";

        assertThat(Files.readString(ROOT.resolve("docs/choose.md")).lines()).contains(expected);
    }

    private static String duplicates(String group, String base, String variant) throws IOException {
        return ratio(group + ChooseBenchmark.LOCAL, base, variant) + " ("
                + ratio(group + ChooseBenchmark.NETWORK, base, variant) + ")";
    }

    private static String ratio(String group, String base, String variant) throws IOException {
        return figures("duplicates", group).stream()
                .filter(figure -> figure.name().equals(variant))
                .map(figure ->
                        Quartiles.number(figure.values().get("ratio to " + base).median(), 2))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no figure of " + variant + " in " + group));
    }

    private static List<Findings.Figure> figures(String section, String group) throws IOException {
        List<Findings.Figure> found = new ArrayList<>();
        new BenchmarkReport(ROOT.resolve("docs/proof"), Path.of("results.jsonl"))
                .sections().stream()
                        .filter(one -> one.name().equals(section))
                        .flatMap(one -> one.found().figures().stream())
                        .filter(figure -> figure.group().startsWith(group))
                        .forEach(found::add);
        return found;
    }
}
