package io.counterpoint.idempotency.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.Snippets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The pages on administration say what the code does. */
class AdminPageTest {

    private static final Path PAGE = Path.of("../../docs/operate-reference.md");

    @Test
    void pageHasEachDiagnosisWithItsSeverityAndRemedyAndNoOther() throws Exception {
        Stream<String> rows = Stream.of(Diagnosis.values())
                .map(it -> "| `%s` | %s | %s | %s |"
                        .formatted(
                                it.code(), it.severity().name().toLowerCase(Locale.ROOT), it.meaning(), it.remedy()));
        String page = Files.readString(Path.of("../../docs/doctor.md"));
        String codes = page.substring(page.indexOf("## Codes"));
        assertThat(codes.lines().filter(line -> line.startsWith("| `"))).containsExactlyElementsOf(rows.toList());
    }

    @Test
    void snippetsCompile() throws Exception {
        String imports = "import io.counterpoint.idempotency.admin.*;\nimport java.time.Duration;\n";
        new Snippets(AdminPageContext.class, imports).requireCompiling(PAGE, "The command line", 1);
    }
}
