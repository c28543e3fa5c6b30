package io.counterpoint.idempotency.upgrades;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.PostgresServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;

/** The stored records in the tests of {@code idempotency-jdbc} are what the earlier versions write, and this one. */
@Tag("history")
class FixturesTest {

    private static final Path FIXTURES = Path.of("../../idempotency-jdbc/src/test/resources/layouts");

    private static final List<String> DATABASES = List.of("postgresql", "h2");

    @ParameterizedTest
    @EnumSource
    void fixturesAreWhatTheEarlierVersionWrites(Layout layout, @TempDir Path folder) throws Exception {
        Version old = Version.of(layout.commit(), folder);
        for (String database : DATABASES) {
            assertThat(Files.readString(FIXTURES.resolve(layout.number() + "/" + database + ".sql")))
                    .isEqualTo(withoutComments(layout.schema(database + ".sql")));
            check(layout.number(), database, old);
        }
    }

    /** The stored form has not changed. Where it has to, new fixtures keep what is written now. */
    @ParameterizedTest
    @FieldSource("DATABASES")
    void thisVersionWritesTheSameRecordsAsTheEarlierOnes(String database) throws Exception {
        check(Layout.TWO.number(), database, Version.current());
    }

    private static void check(int layout, String database, Version version) throws Exception {
        String written = written(layout, database, version);
        assertThat(withoutTokens(Files.readString(FIXTURES.resolve(layout + "/" + database + "-rows.sql"))))
                .isEqualTo(withoutTokens(written));
    }

    private static String written(int layout, String database, Version version) throws Exception {
        Process writer = version.start(
                RecordWriter.class,
                database.equals("h2")
                        ? "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1"
                        : PostgresServer.shared().createDatabase());
        String written = new String(writer.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(writer.waitFor()).as(written).isZero();
        // To make the files anew, copy these.
        Path made = Path.of("target/layouts/" + layout + "/" + database + "-rows.sql");
        Files.createDirectories(made.getParent());
        Files.writeString(made, written);
        return written;
    }

    private static String withoutComments(String schema) {
        return schema.replaceAll("(?m) *--.*$", "").stripLeading();
    }

    /** Tokens are random. */
    private static String withoutTokens(String rows) {
        return rows.replaceAll("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "token");
    }
}
