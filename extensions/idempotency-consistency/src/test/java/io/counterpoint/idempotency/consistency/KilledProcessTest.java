package io.counterpoint.idempotency.consistency;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.consistency.Publishing.Resumption;
import io.counterpoint.idempotency.consistency.Publishing.Step;
import io.counterpoint.idempotency.consistency.TestDatabase.Kind;
import io.counterpoint.idempotency.consistency.check.OrphanApps;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A process of its own that is killed with {@code kill -9}; this one finds everything in order, or puts it there. */
@ParameterizedClass
@EnumSource
class KilledProcessTest {

    @Parameter
    Kind kind;

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource
    void killedPublishingStrandsNothing(Step death) throws IOException {
        String url = url();
        UUID app;
        try (TestDatabase database = TestDatabase.at(url)) {
            Publishing publishing = new Publishing(database, step -> {});
            publishing.createTables();
            app = publishing.draft();
        }
        runAndKill("publish", url, death.name(), app.toString());
        try (TestDatabase database = TestDatabase.at(url)) {
            Publishing publishing = new Publishing(database, step -> {});
            database.execute("UPDATE app SET publishing_since = publishing_since - INTERVAL '61' SECOND");
            int stranded = death == Step.BEGUN || death == Step.FINISH_NOT_COMMITTED ? 1 : 0;
            assertThat(publishing.resume(Resumption.COMPLETED, Duration.ofMinutes(1)))
                    .isEqualTo(stranded);
            publishing.letClaimsEnd();
            assertThat(publishing.publisher().publishAll().failed()).isZero();
            publishing.assertConsistent(app);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 20})
    void killedRepairIsCompletedByRunningItAgain(int death) throws IOException {
        String url = url();
        try (TestDatabase database = TestDatabase.at(url)) {
            OrphanApps.create(database, 25);
        }
        runAndKill("repair", url, Integer.toString(death));
        try (TestDatabase database = TestDatabase.at(url)) {
            assertThat(database.count("repair_audit")).isEqualTo(death);
            assertThat(OrphanApps.repair().build().run(database.transactions()).changed())
                    .isEqualTo(25 - death);
            OrphanApps.assertMended(database, 25);
        }
    }

    /** H2 needs settings: not to lose what it has acknowledged, and not to let a dead process lock its file. */
    private String url() {
        return switch (kind) {
            case H2 -> "jdbc:h2:file:" + folder.resolve("database") + ";WRITE_DELAY=0;FILE_LOCK=FS";
            case POSTGRESQL -> PostgresServer.shared().createDatabase();
        };
    }

    private static void runAndKill(String... arguments) throws IOException {
        Process process = new ProcessBuilder(Stream.concat(
                                Stream.of(
                                        Path.of(System.getProperty("java.home"), "bin", "java")
                                                .toString(),
                                        "-XX:+UseSerialGC",
                                        "-XX:TieredStopAtLevel=1",
                                        "-cp",
                                        System.getProperty("java.class.path"),
                                        Victim.class.getName()),
                                Stream.of(arguments))
                        .toList())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader said = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            assertThat(said.readLine()).isEqualTo(Victim.HERE);
        } finally {
            process.destroyForcibly();
            assertThat(process.onExit().join().exitValue()).isNotZero();
        }
    }

    /** Does its task up to the place where it is to be killed, and waits there. */
    static final class Victim {
        static final String HERE = "Kill me here.";

        public static void main(String[] arguments) throws InterruptedException {
            List<String> words = List.of(arguments);
            TestDatabase database = TestDatabase.at(words.get(1));
            if (words.get(0).equals("publish")) {
                Step death = Step.valueOf(words.get(2));
                Publishing publishing = new Publishing(database, step -> waitIf(step == death));
                assertThat(publishing.publish(UUID.fromString(words.get(3)))).isNotNull();
                assertThat(publishing.publisher().publishAll()).isNotNull();
            } else {
                assertThat(OrphanApps.repair()
                                .batchSize(10)
                                .progress(changed -> waitIf(changed == Long.parseLong(words.get(2))))
                                .build()
                                .run(database.transactions()))
                        .isNotNull();
            }
            throw new IllegalStateException("This process should have been killed.");
        }

        private static void waitIf(boolean here) {
            if (here) {
                System.out.println(HERE);
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        }
    }
}
