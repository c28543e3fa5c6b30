package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a store must stay: steps that are persisted, with every decision left to the engine. */
class ArchitectureTest {

    private static final Path SOURCES = Path.of("src/main/java");

    /** All that a store has to know of the core: what it stores, and the interface that it implements. */
    private static final List<String> STORED =
            List.of("Failure", "Fingerprint", "IdempotencyKey", "MisuseException", "NestedCallException");

    /**
     * Tables are created outside of all operations, so that has a commit of its own. So has the check a rollback, for what
     * it has written, and each question about the database or the table. A savepoint is the work's own. A managed
     * connection is the session's, where a transaction manager ends the transactions. The combined statements of PostgreSQL
     * end four kinds of transactions: of a claim, of reads only, of the work together with its mark, and one that has failed, to ask what became of its name.
     */
    @Test
    void transactionsEndInTheSessionAndItsPartsAlone() throws IOException {
        assertThat(filesWith("(\\.|::)(commit|rollback)\\b(?!\\(\\w)|\\.setAutoCommit\\("))
                .containsExactly(
                        "DetectedTable.java",
                        "Ending.java",
                        "HandleConnections.java",
                        "JdbcSession.java",
                        "LentConnection.java",
                        "ManagedConnection.java",
                        "Schema.java",
                        "SqlStore.java",
                        "StoredProbe.java");
        assertThat(filesWith("\"\\s*(COMMIT|ROLLBACK(?! TO|; SELECT)|BEGIN|START TRANSACTION|SET SESSION)\\b"))
                .containsExactly("PostgreSqlDialect.java", "StatementText.java", "TransactionRules.java");
        assertThat(filesWith("; (COMMIT|ROLLBACK)\\b")).containsExactly("PostgreSqlStatements.java");
    }

    /**
     * The process's own time says only how long a purge goes on from where it was, and how long reads wait for what.
     * Nothing depends on it but work.
     */
    @Test
    void timeIsTheDatabases() throws IOException {
        assertThat(filesWith("\\b(Instant|Clock|LocalDateTime|currentTimeMillis)\\b"))
                .isEmpty();
        assertThat(filesWith("\\bnanoTime\\b"))
                .containsExactly("AdaptiveLimit.java", "CoalescedReads.java", "PurgeSweep.java");
    }

    /** A dialect is four of them. One more type is for frameworks that join a transaction, and one says what errors prove without any dialect. */
    @Test
    void dialectNeedsAtMostFifteenPublicTypes() throws IOException {
        try (Stream<Path> files = Files.list(SOURCES.resolve("io/counterpoint/idempotency/jdbc/spi"))) {
            assertThat(files.filter(ArchitectureTest::declaresPublicType)
                            .filter(file -> !file.endsWith("JoinableConnection.java"))
                            .filter(file -> !file.endsWith("StandardErrors.java")))
                    .hasSizeLessThanOrEqualTo(15);
        }
    }

    private static boolean declaresPublicType(Path source) {
        try {
            return Files.readString(source).contains("\npublic ");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void protocolIsStoredAndReadAndNothingElse() throws IOException {
        assertThat(filesWith("\\b(CLAIM_FIRST|SINGLE_TRANSACTION|EXTERNAL)\\b")).containsExactly("RecordRow.java");
        assertThat(filesWith("(?<!code\\(record)\\.protocol\\(\\)")).isEmpty();
    }

    @Test
    void storeKnowsNoOperationsAndNoOutcomes() throws IOException {
        Pattern core = Pattern.compile("import io\\.counterpoint\\.idempotency\\.([A-Z]\\w*)");
        for (Path source : sources()) {
            assertThat(core.matcher(Files.readString(source)).results().map(found -> found.group(1)))
                    .as(source.toString())
                    .isSubsetOf(STORED);
        }
    }

    private static Set<String> filesWith(String pattern) throws IOException {
        Pattern searched = Pattern.compile(pattern);
        Set<String> files = new TreeSet<>();
        for (Path source : sources()) {
            String code = Files.readAllLines(source).stream()
                    .filter(line -> !line.strip().startsWith("*")
                            && !line.strip().startsWith("/*")
                            && !line.strip().startsWith("//"))
                    .collect(Collectors.joining("\n"));
            if (searched.matcher(code).find()) {
                files.add(source.getFileName().toString());
            }
        }
        return files;
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }
}
