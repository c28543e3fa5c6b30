package io.counterpoint.idempotency.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.PageProject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
    void programPrintsWhatThePageShows(@TempDir Path folder) throws Exception {
        String url = "jdbc:h2:mem:shop;INIT=RUNSCRIPT FROM 'classpath:io/counterpoint/idempotency/jdbc/h2.sql'";
        Process run = PageProject.of(PAGE, folder, entry -> true).start("Examine", url);

        assertThat(run.getInputStream()).hasContent("h2-closes: " + Diagnosis.H2_CLOSES.remedy());
        assertThat(PAGE).content().contains("it prints `h2-closes: " + Diagnosis.H2_CLOSES.remedy() + "`");
    }
}
