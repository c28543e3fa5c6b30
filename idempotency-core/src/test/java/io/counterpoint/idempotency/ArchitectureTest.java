package io.counterpoint.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the core must stay: small, alone, without a clock or a database, with its decisions in one place. */
class ArchitectureTest {

    private static final Path SOURCES = Path.of("src/main/java");
    private static final Path ENGINE = SOURCES.resolve("io/counterpoint/idempotency/engine");

    private static final Path REPOSITORY = Path.of("..");
    private static final List<String> PARTS_WITHOUT_THREADS =
            List.of("idempotency-core", "idempotency-jdbc", "extensions/idempotency-servlet");

    private static final Path MAIN = Path.of("src", "main");

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
                assertThat(Files.readString(source))
                        .as(source.toString())
                        .doesNotContain("Clock.systemUTC(", "nanoTime(", "Thread.sleep(");
            }
        }
    }

    /** It compares fingerprints, and waits until what it has read is durable. */
    @Test
    void onlyTheFollowerAnswersFromARecord() throws IOException {
        for (Path source : sources()) {
            if (source.startsWith(ENGINE) && !source.endsWith("Follower.java")) {
                assertThat(Files.readString(source))
                        .as(source.toString())
                        .doesNotContain(".decodeResult(", ".replayed(", ".awaitDurable(", "failed.failure()");
            }
        }
    }

    /** What a caller can meet has a public class in an exported package, and is on a page. */
    @Test
    void everyExceptionThatLeavesIsOnAPage() throws IOException {
        StringBuilder pages = new StringBuilder();
        try (Stream<Path> docs = Files.list(REPOSITORY.resolve("docs"))) {
            for (Path page : docs.filter(Files::isRegularFile).toList()) {
                pages.append(Files.readString(page));
            }
        }
        Pattern declared = Pattern.compile("public (?:\\w+ )*class (\\w+Exception) extends");
        List<String> found = new ArrayList<>();
        for (Path source : sources()) {
            declared.matcher(Files.readString(source)).results().forEach(one -> {
                assertThat(source.toString()).doesNotContain("engine", "internal");
                found.add(one.group(1));
            });
        }
        assertThat(found).hasSizeGreaterThan(10);
        assertThat(pages.toString()).contains(found);
    }

    /** An operation chooses its protocol. What follows from it is the engine's affair. */
    @Test
    void protocolIsDecidedByInTheEngineOnly() throws IOException {
        for (Path source : sources()) {
            boolean mayDecide = source.startsWith(ENGINE)
                    || source.endsWith("Operation.java")
                    || source.endsWith("TransactionalBuilder.java")
                    || source.endsWith("OperationOptions.java");
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

    /** The compiler would ask everybody for it: {@code transitive} undoes {@code static} for the modules of applications. */
    @Test
    void noModuleAsksItsUsersForAnOptionalModule() throws IOException {
        try (Stream<Path> modules = Files.find(
                Path.of("../extensions"), 5, (file, attributes) -> file.endsWith("src/main/java/module-info.java"))) {
            assertThat(modules.toList())
                    .hasSizeGreaterThan(15)
                    .allSatisfy(module -> assertThat(Files.readAllLines(module))
                            .filteredOn(line -> line.contains("static transitive"))
                            .allMatch(line -> line.endsWith("org.jspecify;")));
        }
    }

    /** A step that held a session would keep a connection while the call waits or opens another. */
    @Test
    void stepsBetweenPartsOfTheProtocolHoldNoSession() throws IOException {
        assertThat(Files.readString(ENGINE.resolve("Next.java"))).doesNotContain("Session", "RecordSteps");
    }

    /** Keys are resolved by the calls for them. Nothing works behind them, and nothing has to be running. */
    @Test
    void noThreadOfTheLibraryWorksInTheBackground() throws IOException {
        int files = 0;
        for (Path source : mainFilesOfTheRepository()) {
            if (PARTS_WITHOUT_THREADS.stream()
                    .anyMatch(part -> source.startsWith(REPOSITORY.resolve(part).normalize()))) {
                assertThat(Files.readString(source))
                        .as(source.toString())
                        .doesNotContain(
                                "new Thread(",
                                "ofVirtual(",
                                "startVirtualThread(",
                                "Executors.",
                                "ForkJoinPool",
                                "supplyAsync(",
                                "runAsync(",
                                "new Timer(");
                files++;
            }
        }
        assertThat(files).isGreaterThan(150);
    }

    private static List<Path> mainFilesOfTheRepository() throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(REPOSITORY, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes unused) {
                String name = folder.getFileName().toString();
                boolean hidden = name.startsWith(".") && !folder.equals(REPOSITORY);
                return hidden || name.equals("target") ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes unused) {
                if (file.toString().endsWith(".java") && file.toString().contains(MAIN.toString())) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return found;
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }
}
