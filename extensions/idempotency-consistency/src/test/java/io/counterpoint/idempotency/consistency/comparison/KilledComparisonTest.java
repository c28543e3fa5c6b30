package io.counterpoint.idempotency.consistency.comparison;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.consistency.testing.KilledProcess;
import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.h2.tools.Server;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two tables of many rows with planted differences, written all the time, compared by a process with a small heap that is
 * killed with {@code kill -9} and by another that goes on.
 *
 * <p>50,000 rows a side, or as many as the property {@code comparison.rows} says, on PostgreSQL then.
 */
@Tag("matrix")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class KilledComparisonTest {

    private static final Integer ASKED = Integer.getInteger("comparison.rows");
    private static final int ROWS = ASKED == null ? 50_000 : ASKED;
    /** One row in so many differs: 1,000 of a million. */
    private static final int EVERY = ASKED == null ? 500 : 1_000;

    /** Longer than a write takes to reach both sides; one that takes longer breaks the condition of the promise. */
    private static final Duration MINIMUM_AGE = Duration.ofSeconds(ASKED == null ? 1 : 3);

    private static final int WRITERS = ASKED == null ? 2 : 4;

    private static final int HEAP_MIB = 128;

    static List<Kind> kinds() {
        return ASKED == null ? List.of(Kind.values()) : List.of(Kind.POSTGRESQL);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void everyPlantedDifferenceIsFoundAndNoOtherOverAKill(Kind kind) throws Exception {
        try (Served served = Served.create(kind);
                TestDatabase database = TestDatabase.at(served.url)) {
            fill(database);
            JdbiJournal journal = JdbiJournal.on(database.jdbi()).createTablesIfMissing();
            long start = System.nanoTime();
            Forked first;
            Forked second;
            Set<Long> slow;
            try (DualWriters writers =
                    new DualWriters(database.jdbi(), ROWS, WRITERS, KilledComparisonTest::isPlanted, MINIMUM_AGE)) {
                first = Forked.run(served.url, ROWS / 2);
                assertThat(first.lastLine).startsWith("waiting at ");
                second = Forked.run(served.url, Long.MAX_VALUE);
                print(database, kind, first, second, writers, start);
                slow = writers.slow();
            }

            assertThat(second.lastLine).startsWith("finished true ");
            List<Finding<String>> findings = journal.findings("apps", 0, ROWS);
            assertThat(findings.stream()
                            .filter(finding -> !slow.contains(Long.valueOf(finding.key())))
                            .map(KilledComparisonTest::described))
                    .containsExactlyElementsOf(planted());
        }
    }

    @Test
    void repairOfAllThatWasFoundIsVerified() {
        try (TestDatabase database = TestDatabase.create(Kind.POSTGRESQL)) {
            fill(database);
            Comparison<Long> comparison = ComparisonProcess.apps(database.jdbi())
                    .clock(new TestClock())
                    .build();
            assertThat(comparison.run().totals().findings()).isEqualTo(planted().size());

            RepairResult<Long> result =
                    comparison.repair(Side.OLD).allowDeletes().build().apply();

            assertThat(result.isClean()).as(result.table()).isTrue();
            assertThat(result.counts().changes()).isEqualTo(planted().size());
            assertThat(database.count("app_by_workspace WHERE workspace_id NOT LIKE 'workspace-%'"))
                    .isZero();
        }
    }

    private static boolean isPlanted(long key) {
        return key % EVERY == 7;
    }

    private static List<String> planted() {
        List<String> planted = new ArrayList<>();
        for (long key = 7; key < ROWS; key += EVERY) {
            planted.add(
                    switch ((int) (key / EVERY % 3)) {
                        case 0 -> "missing in old " + key;
                        case 1 -> "missing in new " + key;
                        default -> "different " + key + " [name]";
                    });
        }
        return planted;
    }

    private static String described(Finding<String> finding) {
        return finding.fold(
                old -> "missing in old " + old.key(),
                replacement -> "missing in new " + replacement.key(),
                different -> "different " + different.key() + " " + different.fields());
    }

    private static void fill(TestDatabase database) {
        for (String side : List.of("user", "workspace")) {
            String table = "app_by_" + side;
            database.execute(
                    "CREATE TABLE " + table + " (id bigint PRIMARY KEY, " + side + "_id varchar(40), name varchar(40),"
                            + " calls int)",
                    "INSERT INTO " + table + " SELECT x, concat('" + side + "-', mod(x, 1000)), concat('app ', x), 0"
                            + " FROM (" + database.numbers(0, ROWS - 1) + ") AS numbers");
        }
        String planted = " WHERE mod(id, " + EVERY + ") = 7 AND mod((id - 7) / " + EVERY + ", 3) = ";
        database.execute(
                "DELETE FROM app_by_user" + planted + 0,
                "DELETE FROM app_by_workspace" + planted + 1,
                "UPDATE app_by_workspace SET name = 'wrong'" + planted + 2);
    }

    private static void print(
            TestDatabase database, Kind kind, Forked first, Forked second, DualWriters writers, long start) {
        String[] words = second.lastLine.split(" ", -1);
        System.out.printf(
                Locale.ROOT,
                "comparison of %,d rows a side on %s, %,d planted: killed %s; continued for %,d ms, peak heap %,d MiB of"
                        + " %d; %,d suspects dismissed, %,d undecided; %,d dual writes meanwhile, the longest %,d ms, %d longer than the minimum age; %,d ms in all%n",
                ROWS,
                kind,
                planted().size(),
                first.lastLine,
                Long.parseLong(words[2]),
                Long.parseLong(words[3]) >> 20,
                HEAP_MIB,
                database.one("SELECT dismissed FROM comparison_run", Long.class),
                database.one("SELECT unsettled FROM comparison_run", Long.class),
                writers.writes(),
                writers.longestMillis(),
                writers.slow().size(),
                (System.nanoTime() - start) / 1_000_000);
    }

    /** A database that other processes reach too. */
    private record Served(String url, Runnable stop) implements AutoCloseable {

        static Served create(Kind kind) throws SQLException {
            if (kind != Kind.H2) {
                return new Served(KilledProcess.newDatabase(kind, Path.of("")), () -> {});
            }
            Server server =
                    Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
            return new Served(
                    "jdbc:h2:tcp://localhost:" + server.getPort() + "/mem:" + UUID.randomUUID()
                            + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000",
                    server::stop);
        }

        @Override
        public void close() {
            stop.run();
        }
    }

    /** A process that has ended: by itself, or killed when it waited for that. */
    private record Forked(String lastLine) {

        static Forked run(String url, long mark) throws IOException, InterruptedException {
            Process jvm = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx" + HEAP_MIB + "m",
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+ExitOnOutOfMemoryError",
                            "-cp",
                            System.getProperty("java.class.path"),
                            ComparisonProcess.class.getName(),
                            url,
                            String.valueOf(MINIMUM_AGE.toMillis()),
                            String.valueOf(mark))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try {
                return new Forked(lastLine(jvm));
            } finally {
                jvm.destroyForcibly();
                jvm.waitFor();
            }
        }

        private static String lastLine(Process jvm) {
            try (BufferedReader output = new BufferedReader(new InputStreamReader(jvm.getInputStream(), UTF_8))) {
                String line = output.readLine();
                assertThat(line).as("what the process says").isNotNull();
                return line;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
