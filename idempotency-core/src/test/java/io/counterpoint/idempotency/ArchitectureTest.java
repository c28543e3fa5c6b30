package io.counterpoint.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the core must stay: small, alone, without a clock or a database, with its decisions in one place. */
class ArchitectureTest {

    private static final Path SOURCES = Path.of("src/main/java");
    private static final Path ENGINE = SOURCES.resolve("io/counterpoint/idempotency/engine");

    private static final int LONGEST_FILE = 300;
    private static final int LONGEST_FILE_OF_THE_ENGINE = 240;

    /** More than half of these is Javadoc of the public API: options of a builder, each with its default and bounds. */
    private static final Set<String> LONG_BY_JAVADOC = Set.of("Operation.java", "ExternalOperation.java");

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

    /** An operation chooses its protocol. What follows from it is the engine's affair. */
    @Test
    void protocolIsDecidedByInTheEngineOnly() throws IOException {
        for (Path source : sources()) {
            boolean mayDecide = source.startsWith(ENGINE)
                    || source.endsWith("Operation.java")
                    || source.endsWith("ExternalOperation.java");
            if (!mayDecide) {
                assertThat(Files.readString(source))
                        .as(source.toString())
                        .doesNotContain("Protocol.CLAIM_FIRST", "Protocol.SINGLE_TRANSACTION", "Protocol.EXTERNAL");
            }
        }
    }

    @Test
    void engineIsHiddenFromUsers() throws IOException {
        assertThat(Files.readString(SOURCES.resolve("module-info.java"))).doesNotContain("engine;");
        for (Path source : sources()) {
            if (source.getParent().endsWith("spi") || source.getParent().endsWith("memory")) {
                assertThat(Files.readString(source))
                        .as(source.toString())
                        .doesNotContain("io.counterpoint.idempotency.engine");
            }
        }
    }

    /** A step that held a session would keep a connection while the call waits or opens another. */
    @Test
    void stepsBetweenPartsOfTheProtocolHoldNoSession() throws IOException {
        assertThat(Files.readString(ENGINE.resolve("Next.java"))).doesNotContain("Session", "RecordSteps");
    }

    @Test
    void noFileIsTooLongToReadAtOnce() throws IOException {
        for (Path source : sources()) {
            if (LONG_BY_JAVADOC.contains(source.getFileName().toString())) {
                assertThat(Files.readAllLines(source).stream().filter(ArchitectureTest::isCode))
                        .as(source.toString())
                        .hasSizeLessThanOrEqualTo(LONGEST_FILE);
            } else {
                assertThat(Files.readAllLines(source))
                        .as(source.toString())
                        .hasSizeLessThanOrEqualTo(
                                source.startsWith(ENGINE) ? LONGEST_FILE_OF_THE_ENGINE : LONGEST_FILE);
            }
        }
    }

    private static boolean isCode(String line) {
        String text = line.strip();
        return !text.isEmpty() && !text.startsWith("*") && !text.startsWith("/*");
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }
}
