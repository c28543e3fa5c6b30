package io.counterpoint.idempotency.consistency.check;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import io.counterpoint.idempotency.testing.Race;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource
class CheckTest {

    private static final Instant NOW = Instant.parse("2026-02-03T10:15:00Z");

    @Parameter
    Kind kind;

    private TestDatabase database;
    private final Check orphans = Check.named("orphans")
            .severity(Severity.WARNING)
            .schedule(Schedule.hourly())
            .sql("SELECT id, name FROM app WHERE workspace IS NULL ORDER BY id")
            .sampleLimit(2)
            .build();

    @BeforeEach
    void open() {
        database = TestDatabase.create(kind);
        database.execute("CREATE TABLE app (id integer PRIMARY KEY, name varchar(1000), workspace integer)");
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void cleanDatabaseIsClean() {
        CheckResult result = orphans.run(Transactions.on(database.store()));
        assertThat(result.isClean()).isTrue();
        assertThat(result.exitCode()).isZero();
    }

    @Test
    void allOffendingRowsAreCountedAndTheFirstAreShown() {
        plant(5);
        CheckResult result = orphans.run(Transactions.on(database.store()));
        assertThat(result.offending()).isEqualTo(5);
        assertThat(result.sample())
                .containsExactly(Map.of("id", "1", "name", "app 1"), Map.of("id", "2", "name", "app 2"));
        assertThat(result.exitCode()).isEqualTo(1);
    }

    @Test
    void checkRunsWithinATransactionAndSeesIt() {
        long found = Transactions.on(database.store()).inTransaction(READ_COMMITTED, handle -> {
            handle.execute("INSERT INTO app VALUES (1, 'app 1', NULL)");
            long offending = orphans.run(handle).offending();
            handle.execute("INSERT INTO app VALUES (2, 'app 2', NULL)");
            return offending;
        });
        assertThat(found).isEqualTo(1);
        assertThat(database.count("app"))
                .as("the transaction goes on and can write")
                .isEqualTo(2);
        assertThatThrownBy(() -> database.jdbi()
                        .useHandle(handle -> assertThat(orphans.run(handle)).isNull()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("in none");
    }

    @Test
    void queryThatWritesChangesNothing() {
        plant(1);
        for (String write : List.of(
                "DELETE FROM app",
                switch (kind) {
                    case H2 -> "SELECT * FROM FINAL TABLE (UPDATE app SET name = 'changed')";
                    case POSTGRESQL ->
                        "WITH changed AS (UPDATE app SET name = 'changed' RETURNING *) SELECT * FROM changed";
                    case MARIADB -> "UPDATE app SET name = 'changed'";
                })) {
            CheckResult result = Check.named("writes").sql(write).build().run(Transactions.on(database.store()));
            assertThat(database.list("SELECT name FROM app", String.class))
                    .as(write)
                    .containsExactly("app 1");
            if (kind == Kind.POSTGRESQL) {
                assertThat(result.error().orElseThrow()).contains("25006");
                assertThat(result.exitCode()).isEqualTo(3);
            }
        }
    }

    /** It has ended the transaction, with all that came before. PostgreSQL lets a check lock nothing. */
    @Test
    void deadlockOfACheckIsRunAgainWithItsTransaction() {
        database.prepareDeadlock();
        AtomicInteger runs = new AtomicInteger();
        CheckResult result = Transactions.on(database.store()).inTransaction(READ_COMMITTED, handle -> {
            handle.execute("INSERT INTO app VALUES (1, 'app 1', NULL)");
            if (runs.incrementAndGet() == 1) {
                database.meetDeadlock(handle, "SELECT 1");
            }
            return Check.named("locks")
                    .sql("SELECT n FROM contended WHERE id = 2 FOR UPDATE")
                    .build()
                    .run(handle);
        });
        assertThat(database.count("app")).isEqualTo(1);
        if (kind == Kind.MARIADB) {
            assertThat(runs).hasValue(2);
            assertThat(result.offending()).isEqualTo(1);
        }
    }

    @Test
    void queryThatFailsIsAResultAndTheTransactionGoesOn() {
        Check broken = Check.named("broken").sql("SELECT * FROM nowhere").build();
        CheckResult result = Transactions.on(database.store()).inTransaction(READ_COMMITTED, handle -> {
            CheckResult failed = broken.run(handle);
            handle.execute("INSERT INTO app VALUES (1, 'app 1', NULL)");
            return failed;
        });
        assertThat(result.error().orElseThrow()).containsIgnoringCase("nowhere");
        assertThat(result.isClean()).isFalse();
        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(database.count("app")).isEqualTo(1);
    }

    @Test
    void queryThatTakesTooLongIsAResultAndItsTimeOutIsNotLeftBehind() throws SQLException {
        String endless = switch (kind) {
            case H2 -> "SELECT count(*) FROM system_range(1, 100000) a, system_range(1, 100000) b";
            case POSTGRESQL -> "SELECT pg_sleep(60)";
            case MARIADB -> "SELECT count(*) FROM (%1$s) a, (%1$s) b, (%1$s) c".formatted(database.numbers(1, 9999));
        };
        CheckResult result = Transactions.on(database.store()).inTransaction(READ_COMMITTED, handle -> {
            CheckResult late = Check.named("endless")
                    .sql(endless)
                    .timeout(Duration.ofSeconds(1))
                    .build()
                    .run(handle);
            try (var statement = handle.getConnection().createStatement()) {
                assertThat(statement.getQueryTimeout()).isZero();
            }
            return late;
        });
        assertThat(result.error().orElseThrow().split(":", 2)[0]).isIn("57014", "70100", "HY000", "null");
        assertThat(result.took()).isBetween(Duration.ofMillis(900), Duration.ofSeconds(30));
    }

    @Test
    void oneOfManyNodesRunsACheckInASlot() {
        plant(3);
        Checks checks = Checks.of(orphans);
        List<Race.Result<CheckReport>> nodes =
                Race.of(8, number -> checks.runDue(database.idempotency(), NOW.plusSeconds(number)));
        assertThat(nodes).allMatch(Race.Result::succeeded);
        List<CheckResult> found =
                nodes.stream().flatMap(node -> node.orFail().results().stream()).toList();
        assertThat(found).hasSize(1);
        assertThat(found.get(0).offending()).isEqualTo(3);
        assertThat(database.list("SELECT key_value FROM idempotency_record", String.class))
                .containsExactly("orphans/2026-02-03T10:00:00Z");
    }

    /** Its node dies between its slot and its report. */
    @Test
    void whatACheckHasFoundIsInTheRecordOfItsSlot() {
        plant(3);
        Check failing =
                Check.named("failing").sql("SELECT nothing FROM nowhere").build();
        Checks checks = Checks.of(orphans, failing);
        CheckReport lost = checks.runDue(database.idempotency(), NOW);

        CheckReport found = checks.found(database.idempotency(), NOW.plusSeconds(1));

        assertThat(found.results()).hasSize(2);
        assertThat(found.json()).isEqualTo(lost.json());
        assertThat(found.table()).isEqualTo(lost.table());
        assertThat(found.results().get(0).sample()).isNotEmpty();
        Instant next = NOW.plus(Duration.ofMinutes(45));
        assertThat(checks.found(database.idempotency(), next).results()).hasSize(2);
        assertThat(checks.runDue(database.idempotency(), next).results()).isEmpty();
    }

    @Test
    void sampleThatHasNoRoomInTheRecordIsCut() {
        Map<String, @Nullable String> row = new HashMap<>();
        row.put("text", "x".repeat(100_000));
        row.put("none", null);
        CheckResult large = new CheckResult(
                "large",
                Severity.ERROR,
                9,
                Collections.nCopies(9, row),
                Duration.ofMillis(5),
                Optional.of("e".repeat(600_000)));
        StoredResult codec = new StoredResult();

        assertThatNoException().isThrownBy(() -> {
            CheckResult stored = codec.decode(codec.encode(large));
            assertThat(stored.sample()).isEqualTo(Collections.nCopies(2, row));
            assertThat(stored.offending()).isEqualTo(9);
            assertThat(stored.error()).contains("e".repeat(1000));
        });
    }

    @Test
    void nextSlotRunsAgain() {
        Checks checks = Checks.of(orphans);
        Idempotency<Handle> idempotency = database.idempotency();
        assertThat(checks.runDue(idempotency, NOW).results()).hasSize(1);
        assertThat(checks.runDue(idempotency, NOW).results()).isEmpty();
        assertThat(checks.runDue(idempotency, NOW.plus(Duration.ofMinutes(45))).results())
                .hasSize(1);
    }

    @Test
    void slotWhoseCheckCouldNotBeAskedIsFree() {
        Checks checks = Checks.of(orphans);
        Idempotency<Handle> away =
                Idempotency.on(database.store().toBuilder().table("not_there").build());
        assertThat(checks.runDue(away, NOW).results())
                .singleElement()
                .satisfies(result -> assertThat(result.error().orElseThrow()).contains("its slot is free"));
        assertThat(checks.runDue(database.idempotency(), NOW).results()).hasSize(1);
    }

    @Test
    void whatEarlierChecksHaveFoundIsReportedWhereALaterOneCannotBeAsked() {
        plant(3);
        Check[] all = Stream.of("first", "second", "third")
                .map(name -> Check.named(name).sql("SELECT id FROM app").build())
                .toArray(Check[]::new);
        Checks checks = Checks.of(all);
        Idempotency<Handle> away = Idempotency.on(new ForwardingStore<>(database.store()) {
            @Override
            public Session<Handle> openForClaim(IdempotencyKey key, Duration maxWait) {
                if (key.value().startsWith("second/")) {
                    throw new IllegalStateException("away");
                }
                return super.openForClaim(key, maxWait);
            }
        });

        CheckReport report = checks.runDue(away, NOW);

        assertThat(report.results()).extracting(CheckResult::check).containsExactly("first", "second");
        assertThat(report.results().get(0).error()).isEmpty();
        assertThat(report.results().get(1).error().orElseThrow()).contains("its slot is free");
        assertThat(report.exitCode()).isEqualTo(3);
        assertThat(checks.runDue(database.idempotency(), NOW).results())
                .extracting(CheckResult::check)
                .containsExactly("second", "third");
    }

    /** The COMMIT arrives, and nobody can be asked any more. */
    @Test
    void whatACheckHasFoundIsReportedWhereItsCommitIsNotAnswered() {
        plant(3);
        AtomicReference<Instant> now = new AtomicReference<>(NOW);
        Idempotency<Handle> idempotency = Idempotency.builder(new Unanswered(database.store()))
                .clock(new IdempotencyClock() {
                    @Override
                    public Instant now() {
                        return now.get();
                    }

                    @Override
                    public void sleep(Duration pause) {
                        now.updateAndGet(before -> before.plus(pause));
                    }
                })
                .build();

        CheckReport report = Checks.of(orphans).runDue(idempotency, NOW);

        assertThat(report.results()).singleElement().satisfies(result -> {
            assertThat(result.error()).isEmpty();
            assertThat(result.offending()).isEqualTo(3);
        });
        assertThat(Checks.of(orphans).runDue(database.idempotency(), NOW).results())
                .isEmpty();
        assertThat(Checks.of(orphans).found(database.idempotency(), NOW).json()).isEqualTo(report.json());
    }

    /** A store that answers nothing after the first transaction that it has committed. */
    private static final class Unanswered extends ForwardingStore<Handle> {
        private boolean away;

        Unanswered(IdempotencyStore<Handle> store) {
            super(store);
        }

        @Override
        protected Session<Handle> decorate(Session<Handle> real) {
            return new ForwardingSession<>(real) {
                @Override
                public <T> T inTransaction(
                        BiFunction<? super RecordSteps, ? super WorkScope<Handle>, ? extends T> body) {
                    T result = super.inTransaction(body);
                    away = true;
                    requireAnswer();
                    return result;
                }
            };
        }

        private void requireAnswer() {
            if (away) {
                throw new IllegalStateException("away");
            }
        }

        @Override
        public Session<Handle> open(IdempotencyKey key) {
            requireAnswer();
            return super.open(key);
        }

        @Override
        public Optional<IdempotencyRecord> read(IdempotencyKey key) {
            requireAnswer();
            return super.read(key);
        }
    }

    @Test
    void reportFollowsTheWorst() {
        plant(1);
        Check broken = Check.named("broken").sql("SELECT * FROM nowhere").build();
        Check clean = Check.named("clean").sql("SELECT 1 FROM app WHERE id < 0").build();
        Check info = Check.named("info")
                .severity(Severity.INFO)
                .sql("SELECT 1 FROM app")
                .build();
        assertThat(Checks.of(clean, info).run(Transactions.on(database.store())).exitCode())
                .isZero();
        assertThat(Checks.of(clean, orphans)
                        .run(Transactions.on(database.store()))
                        .exitCode())
                .isEqualTo(1);
        CheckReport report = Checks.of(clean, orphans, broken).run(Transactions.on(database.store()));
        assertThat(report.exitCode()).isEqualTo(3);
        assertThat(report.table().lines().map(String::stripTrailing))
                .anyMatch(line -> line.matches("clean +ERROR +0 +\\d+ +clean"))
                .anyMatch(line -> line.matches("orphans +WARNING +1 +\\d+ +found"))
                .anyMatch(line -> line.matches("broken +ERROR +\\? +\\d+ +42.*"))
                .contains("orphans, 1 of 1", "1   app 1");
        assertThat(report.json())
                .contains("\"exitCode\" : 3", "\"check\" : \"orphans\"", "\"offending\" : 1", "\"name\" : \"app 1\"");
    }

    @Test
    void longAndAbsentValuesAreShownAsSuch() {
        database.execute("INSERT INTO app VALUES (1, '" + "x".repeat(300) + "', NULL), (2, NULL, NULL)");
        CheckResult result = orphans.run(Transactions.on(database.store()));
        assertThat(result.sample().get(0).get("name")).isEqualTo("x".repeat(200) + "…");
        assertThat(result.sample().get(1).get("name")).isNull();
        assertThat(new CheckReport(List.of(result)).json()).contains("\"name\" : null");
    }

    @Test
    void slotsBeginAtWholePeriodsAndWeeksOnMondays() {
        assertThat(Schedule.hourly().slot(NOW)).isEqualTo("2026-02-03T10:00:00Z");
        assertThat(Schedule.daily().slot(NOW)).isEqualTo("2026-02-03T00:00:00Z");
        assertThat(Schedule.weekly().slot(NOW)).isEqualTo("2026-02-02T00:00:00Z");
        assertThat(Schedule.weekly().slot(Instant.parse("1970-01-01T00:00:00Z")))
                .isEqualTo("1969-12-29T00:00:00Z");
        assertThat(Schedule.daily().slot(Instant.parse("2026-02-03T00:00:00Z"))).isEqualTo("2026-02-03T00:00:00Z");
    }

    @Test
    void checksAndSchedulesOutOfBoundsAreRefused() {
        assertThatThrownBy(() -> Check.named("a b")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Check.named("a").build()).hasMessageContaining("no query");
        assertThatThrownBy(() -> Checks.of(orphans, orphans)).hasMessageContaining("orphans");
        assertThatThrownBy(() -> new Schedule(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
    }

    private void plant(int orphaned) {
        for (int i = 1; i <= orphaned; i++) {
            database.execute("INSERT INTO app VALUES (%1$d, 'app %1$d', NULL)".formatted(i));
        }
    }
}
