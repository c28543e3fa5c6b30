package io.counterpoint.idempotency.upgrades;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.PostgresServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The stored records in the tests of {@code idempotency-jdbc} are what the earlier versions write. */
@Tag("history")
class FixturesTest {

    private static final Path FIXTURES = Path.of("../../idempotency-jdbc/src/test/resources/layouts");

    @ParameterizedTest
    @EnumSource
    void fixturesAreWhatTheEarlierVersionWrites(Layout layout, @TempDir Path folder) throws Exception {
        Version old = Version.of(layout.commit(), folder);
        String postgresql =
                written(layout, old, "postgresql", PostgresServer.shared().createDatabase());
        String h2 = written(layout, old, "h2", "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        check(layout, "postgresql", postgresql);
        check(layout, "h2", h2);
    }

    private static String written(Layout layout, Version old, String database, String url) throws Exception {
        Process writer = old.start(RecordWriter.class, url);
        String written = new String(writer.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(writer.waitFor()).as(written).isZero();
        // To make the files anew, copy these.
        Path made = Path.of("target/layouts/" + layout.number() + "/" + database + "-rows.sql");
        Files.createDirectories(made.getParent());
        Files.writeString(made, written);
        return written;
    }

    private static void check(Layout layout, String database, String written) throws Exception {
        Path fixtures = FIXTURES.resolve(Integer.toString(layout.number()));
        assertThat(Files.readString(fixtures.resolve(database + ".sql")))
                .isEqualTo(withoutComments(layout.schema(database + ".sql")));
        assertThat(withoutTokens(Files.readString(fixtures.resolve(database + "-rows.sql"))))
                .isEqualTo(withoutTokens(written));
    }

    private static String withoutComments(String schema) {
        return schema.replaceAll("(?m) *--.*$", "").stripLeading();
    }

    /** Tokens are random. */
    private static String withoutTokens(String rows) {
        return rows.replaceAll("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "token");
    }
}
