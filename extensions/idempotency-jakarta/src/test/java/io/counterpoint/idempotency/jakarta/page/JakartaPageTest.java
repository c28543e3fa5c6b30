package io.counterpoint.idempotency.jakarta.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.Snippets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every snippet of the page compiles, and the page of options says of each property whether it is served. */
class JakartaPageTest {

    private static final Path PAGE = Path.of("../../docs/jakarta.md");

    @Test
    void everySnippetCompiles() throws IOException {
        new Snippets(Object.class, "").requireCompiling(PAGE, 4);
    }

    @Test
    void everyPropertyOfSpringIsReadOrThePageSaysWhyNot() throws IOException {
        Set<String> read = new TreeSet<>();
        try (Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
            for (Path source : sources.filter(Files::isRegularFile).toList()) {
                read.addAll(found("\"(idempotency\\.[a-z-]+(?:\\.[a-z-]+)*)\"", Files.readString(source)));
            }
        }
        Stream.of("required", "optional", "off").forEach(policy -> read.add("idempotency.http." + policy));
        String options = Files.readString(Path.of("../../docs/options.md"));
        int others = options.indexOf("## Only with Spring");
        List<String> refused = found("(?m)^\\| `(idempotency\\.[a-z.-]+)` \\| \\S+", options.substring(others));
        assertThat(refused).doesNotContainAnyElementsOf(read);
        assertThat(found("\\| `(idempotency\\.[a-z.-]+)` \\|", options.substring(0, others)))
                .hasSizeGreaterThan(20)
                .containsExactlyInAnyOrderElementsOf(
                        Stream.concat(read.stream(), refused.stream()).toList());
    }

    private static List<String> found(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(result -> result.group(1))
                .toList();
    }
}
