package io.counterpoint.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the core must stay: small, alone, without a clock or a database, with its decisions in one place. */
class ArchitectureTest {

    private static final Path SOURCES = Path.of("src/main/java");

    @Test
    void coreKnowsTheJavaPlatformAndNullnessAnnotationsOnly() throws IOException {
        for (Path source : sources()) {
            assertThat(Files.readAllLines(source).stream()
                            .filter(line -> line.startsWith("import "))
                            .map(line -> line.replace("import ", "").replace("static ", "")))
                    .as(source.toString())
                    .allMatch(name -> name.startsWith("java.")
                            || name.startsWith("io.counterpoint.idempotency.")
                            || name.startsWith("org.jspecify.annotations."))
                    .noneMatch(name -> name.startsWith("java.sql.") || name.startsWith("java.lang.reflect."));
        }
    }

    @Test
    void timeComesFromTheClockAlone() throws IOException {
        for (Path source : sources()) {
            assertThat(Files.readString(source))
                    .as(source.toString())
                    .doesNotContain(
                            "Instant.now(", "currentTimeMillis(", "LocalDateTime.now(", "System.out", "System.err");
            if (!source.endsWith("IdempotencyClock.java")) {
                assertThat(Files.readString(source)).as(source.toString()).doesNotContain("nanoTime(", "Thread.sleep(");
            }
        }
    }

    /** Which protocol a record has matters to the engine; a look-up also asks whether there is a handle to give it. */
    @Test
    void protocolIsDecidedByInTheEngineOnly() throws IOException {
        for (Path source : sources()) {
            boolean mayDecide = List.of("Engine.java", "Call.java", "Operation.java", "ExternalOperation.java").stream()
                    .anyMatch(source::endsWith);
            if (!mayDecide) {
                assertThat(Files.readString(source))
                        .as(source.toString())
                        .doesNotContain("Protocol.CLAIM_FIRST", "Protocol.SINGLE_TRANSACTION", "Protocol.EXTERNAL");
            }
        }
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }
}
