package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The statements of the operations page that change a table of the earlier layout, with records in it. */
@Timeout(60)
class MigrationTest {

    private static final Path PAGE = Path.of("../docs/operations.md");
    private static final Logger LOGGER = Logger.getLogger(JdbiIdempotencyStore.class.getName());

    enum Database {
        H2("h2.sql", "-- H2", 1) {
            @Override
            TestDatabase open() {
                return TestDatabase.h2();
            }
        },
        POSTGRESQL("postgresql.sql", "-- PostgreSQL", 2) {
            @Override
            TestDatabase open() {
                return TestDatabase.postgresql();
            }
        };

        private final String file;
        private final String title;
        private final int hints;

        Database(String file, String title, int hints) {
            this.file = file;
            this.title = title;
            this.hints = hints;
        }

        abstract TestDatabase open();

        String earlier() throws IOException {
            try (InputStream in = MigrationTest.class.getResourceAsStream("/old/" + file)) {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            }
        }

        String migration() throws IOException {
            String page = Files.readString(PAGE);
            int begin = page.indexOf(title + ": the layout");
            return page.substring(begin, page.indexOf("```", begin));
        }
    }

    @ParameterizedTest
    @EnumSource
    void tableOfTheEarlierLayoutWorksIsMigratedAndAnswersAsBefore(Database kind) throws IOException {
        try (TestDatabase database = kind.open()) {
            script(database, "DROP TABLE idempotency_record;" + kind.earlier());
            assertThat(hintsOf(database.store()))
                    .hasSize(kind.hints)
                    .anySatisfy(hint -> assertThat(hint).contains("[key_value, scope, operation]"));
            callBoth(database, true);

            script(database, kind.migration());

            assertThat(hintsOf(database.store())).isEmpty();
            callBoth(database, false);
            database.jdbi().useHandle(handle -> {
                assertThat(primaryKey(handle)).containsExactly("key_value", "scope", "operation");
                // No check is left.
                handle.execute("UPDATE idempotency_record SET failure_code = 'code' WHERE state = 'S'");
            });
        }
    }

    private static void callBoth(TestDatabase database, boolean first) {
        Operation<Handle, String> operation = Idempotency.on(database.store())
                .operation("operate", ResultCodec.string())
                .build();
        assertThat(operation.execute(attempt("good"), handle -> "result"))
                .isInstanceOf(first ? Outcome.Executed.class : Outcome.Replayed.class);
        if (first) {
            assertThatThrownBy(() -> operation.execute(attempt("bad"), handle -> {
                        throw new IllegalArgumentException();
                    }))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(operation.execute(attempt("bad"), handle -> "result")).isInstanceOf(Outcome.Rejected.class);
        assertThat(operation.execute(attempt("fresh" + first), handle -> "result"))
                .isInstanceOf(Outcome.Executed.class);
    }

    private static Attempt attempt(String key) {
        return Attempt.in("user:1").key(key).request();
    }

    private static void script(TestDatabase database, String sql) {
        database.jdbi().useHandle(handle -> handle.createScript(sql).executeAsSeparateStatements());
    }

    private static List<String> primaryKey(Handle handle) {
        return handle
                .queryMetadata(metaData -> metaData.getPrimaryKeys(
                        null,
                        null,
                        metaData.storesUpperCaseIdentifiers() ? "IDEMPOTENCY_RECORD" : "idempotency_record"))
                .map((row, context) -> row.getInt("KEY_SEQ") + row.getString("COLUMN_NAME"))
                .list()
                .stream()
                .sorted()
                .map(column -> column.substring(1).toLowerCase(java.util.Locale.ROOT))
                .toList();
    }

    private static List<String> hintsOf(JdbiIdempotencyStore store) {
        List<String> hints = new ArrayList<>();
        Handler listener = new Handler() {
            @Override
            public void publish(LogRecord record) {
                hints.add(record.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        LOGGER.addHandler(listener);
        try {
            store.checkTable();
        } finally {
            LOGGER.removeHandler(listener);
        }
        return hints;
    }
}
