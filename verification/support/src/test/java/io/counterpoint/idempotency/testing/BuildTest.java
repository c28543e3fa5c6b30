package io.counterpoint.idempotency.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A process takes the place of Maven. */
class BuildTest {

    private Process maven;
    private Build build;

    @BeforeEach
    void begin() throws Exception {
        maven = new ProcessBuilder("sleep", "600").start();
        build = new Build(
                maven.pid(),
                maven.info().startInstant().map(Instant::toEpochMilli).orElse(0L));
    }

    @AfterEach
    void end() throws Exception {
        maven.destroyForcibly();
        WorkFolder.delete(build.folder(WorkFolder.open()));
    }

    @Test
    void firstThatAsksStartsTheServerAndAllOthersGetIt() throws Exception {
        assertThat(build.server("kind", () -> "first")).isEqualTo("first");
        assertThat(build.server("kind", () -> "second")).isEqualTo("first");
        assertThat(build.server("other", () -> "third")).isEqualTo("third");
    }

    @Test
    void serverEndsWithItsBuildAndItsDataWithIt() throws Exception {
        LocalPostgres server = LocalPostgres.create(List.of(), Optional.of(build));
        server.start();
        assertThat(Sql.query(server.jdbcUrl(), "select 1")).isEqualTo("1");
        assertThat(server.data).exists();
        assertThat(Build.hasEnded(build.folder(WorkFolder.open()))).isFalse();

        maven.destroyForcibly().waitFor();

        assertThat(server.daemon.endsWithinMillis(TimeUnit.SECONDS.toMillis(30)))
                .isTrue();
        assertThat(server.data).doesNotExist();
        assertThat(Build.hasEnded(build.folder(WorkFolder.open()))).isTrue();
    }

    /** Maven's script leaves a variable; where something else has started this test, there is no build. */
    @Test
    void testsOfABuildShareItsServer() throws Exception {
        Optional<Build> current = Build.current();
        if (System.getenv("MAVEN_CMD_LINE_ARGS") != null) {
            assertThat(current).isPresent();
        }
        if (current.isPresent() && !PostgresServer.isExternal()) {
            String url = PostgresServer.shared().jdbcUrl();
            Path said = current.get().folder(WorkFolder.open()).resolve("postgresql.url");
            assertThat(Files.readString(said)).isEqualTo(url);
        }
    }
}
