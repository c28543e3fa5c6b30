package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Records that earlier versions wrote, in the layouts of the table that they created: read, migrated by the statements of
 * the operations reference, and read again.
 */
@Timeout(60)
class MigrationTest {

    private static final Path PAGE = Path.of("../docs/operate-reference.md");

    enum Database {
        H2_LAYOUT_1("h2", 1, 6),
        H2_LAYOUT_2("h2", 2, 1),
        POSTGRESQL_LAYOUT_1("postgresql", 1, 0),
        POSTGRESQL_LAYOUT_2("postgresql", 2, 0);

        private final String name;
        private final int layout;
        private final int checksToDrop;

        Database(String name, int layout, int checksToDrop) {
            this.name = name;
            this.layout = layout;
            this.checksToDrop = checksToDrop;
        }

        TestDatabase open() {
            return name.equals("h2") ? TestDatabase.h2() : TestDatabase.postgresql();
        }

        String file(String file) throws IOException {
            try (InputStream in = MigrationTest.class.getResourceAsStream("/layouts/" + layout + "/" + name + file)) {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            }
        }

        void migrate(TestDatabase database) throws IOException {
            script(database, block(name.equals("h2") ? "-- H2: the layout" : "-- PostgreSQL: the layout"));
            for (int check = 0; check < checksToDrop; check++) {
                script(database, block("-- H2: one check"));
            }
        }

        private static String block(String title) throws IOException {
            String page = Files.readString(PAGE);
            int begin = page.indexOf(title);
            return page.substring(begin, page.indexOf("```", begin));
        }
    }

    @ParameterizedTest
    @EnumSource
    void recordsOfEarlierLayoutsAnswerAsBeforeAndAfterTheMigration(Database kind) throws IOException {
        try (TestDatabase database = kind.open()) {
            script(database, "DROP TABLE idempotency_record;" + kind.file(".sql") + kind.file("-rows.sql"));
            assertThat(TableInspection.of(database.plain(database.pool()).build()))
                    .isEqualTo(new TableInspection(TableInspection.EARLIER, List.of()));
            answersAreThoseOfTheEarlierVersion(database);
            freshKeyIsClaimedAndAnswered(database, "before");

            kind.migrate(database);

            assertThat(TableInspection.of(database.plain(database.pool()).build()))
                    .isEqualTo(new TableInspection(TableInspection.CURRENT, List.of()));
            answersAreThoseOfTheEarlierVersion(database);
            pendingRecordsComeToAnEnd(database);
            freshKeyIsClaimedAndAnswered(database, "after");
            database.jdbi().useHandle(handle -> {
                assertThat(primaryKey(handle)).containsExactly("key_value", "scope", "operation");
                // No check is left.
                handle.execute("UPDATE idempotency_record SET failure_code = 'code', expires_at = created_at"
                        + " - INTERVAL '1' DAY WHERE state = 'S'");
            });
        }
    }

    /** Its checks know no follow-up: the claim is refused, so the work does not run. */
    @ParameterizedTest
    @EnumSource(names = {"H2_LAYOUT_1", "POSTGRESQL_LAYOUT_1"})
    void operationWithAFollowUpStartsNothingBeforeTheMigrationFromLayout1(Database kind) throws IOException {
        try (TestDatabase database = kind.open()) {
            script(database, "DROP TABLE idempotency_record;" + kind.file(".sql"));
            AtomicInteger works = new AtomicInteger();
            ExternalOperation<String> pay = Idempotency.on(database.store())
                    .external("pay", ResultCodec.string(), unresolved -> Lookup.notYet())
                    .then((handle, key, result) -> {})
                    .build();
            assertThatThrownBy(() -> pay.execute(attempt("k"), key -> "paid" + works.incrementAndGet()))
                    .isInstanceOf(NotStartedException.class);
            assertThat(works).hasValue(0);

            kind.migrate(database);

            assertThat(pay.execute(attempt("k"), key -> "paid" + works.incrementAndGet()))
                    .isEqualTo(new Outcome.Executed<>(pay.keyOf(attempt("k")), "paid1"));
        }
    }

    private static void answersAreThoseOfTheEarlierVersion(TestDatabase database) {
        for (String key : List.of("claim-succeeded", "claim-planned")) {
            assertThat(local(database).execute(attempt(key), handle -> "twice"))
                    .isInstanceOf(Outcome.Replayed.class)
                    .extracting(Outcome::orElseThrow)
                    .isEqualTo("result");
        }
        assertThat(single(database)
                        .execute(attempt("single-succeeded"), handle -> "twice")
                        .orElseThrow())
                .isEqualTo("result");
        assertThat(external(database, Optional.empty())
                        .execute(attempt("external-succeeded"), key -> "twice")
                        .orElseThrow())
                .isEqualTo("result");
        Failure failure = new Failure("IllegalArgumentException", "");
        assertThat(List.of(
                        local(database).execute(attempt("claim-failed"), handle -> "twice"),
                        single(database).execute(attempt("single-failed"), handle -> "twice"),
                        external(database, Optional.empty()).execute(attempt("external-failed"), key -> "twice")))
                .allSatisfy(outcome -> assertThat(outcome)
                        .isInstanceOfSatisfying(
                                Outcome.Rejected.class,
                                rejected -> assertThat(rejected.failure()).isEqualTo(failure)));
        for (String key : List.of("external-pending", "external-pending-plan")) {
            assertThat(external(database, Optional.empty()).execute(attempt(key), it -> "twice"))
                    .isInstanceOf(Outcome.InProgress.class);
        }
        assertThat(local(database)
                        .execute(
                                Attempt.inScope("user:1").key("claim-succeeded").request("other"), handle -> "twice"))
                .isInstanceOf(Outcome.KeyReused.class);
    }

    private static void pendingRecordsComeToAnEnd(TestDatabase database) {
        for (String key : List.of("claim-pending", "claim-pending-plan")) {
            assertThat(local(database).execute(attempt(key), handle -> "twice"))
                    .isInstanceOfSatisfying(
                            Outcome.Rejected.class,
                            rejected -> assertThat(rejected.failure().code()).isEqualTo(Failure.ABANDONED));
        }
        assertThat(external(database, Optional.of("result"))
                        .execute(attempt("external-pending"), key -> "twice")
                        .orElseThrow())
                .isEqualTo("result");
        ExternalOperation<String> pay = external(database, Optional.empty());
        assertThat(pay.resolveSucceeded(pay.keyOf(attempt("external-pending-plan")), "other"))
                .hasValueSatisfying(outcome -> assertThat(outcome.orElseThrow()).isEqualTo("result"));
    }

    private static void freshKeyIsClaimedAndAnswered(TestDatabase database, String key) {
        assertThat(local(database).execute(attempt(key), handle -> "fresh")).isInstanceOf(Outcome.Executed.class);
        assertThat(local(database).execute(attempt(key), handle -> "twice").orElseThrow())
                .isEqualTo("fresh");
    }

    private static Operation<Handle, String> local(TestDatabase database) {
        return Idempotency.on(database.store())
                .operation("operate", ResultCodec.string())
                .build();
    }

    private static Operation<Handle, String> single(TestDatabase database) {
        return Idempotency.on(database.store())
                .operation("operate", ResultCodec.string())
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .build();
    }

    private static ExternalOperation<String> external(TestDatabase database, Optional<String> effect) {
        return Idempotency.on(database.store())
                .external("pay", ResultCodec.string(), unresolved -> Lookup.of(effect))
                .build();
    }

    /** As the earlier versions made the records. */
    private static Attempt attempt(String key) {
        return Attempt.inScope("user:1").key(key).request("amount", 100, "EUR");
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
}
