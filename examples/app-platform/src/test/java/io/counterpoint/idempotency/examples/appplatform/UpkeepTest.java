package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.consistency.check.CheckResult;
import io.counterpoint.idempotency.examples.appplatform.Upkeep.Routine;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Scheduled work runs, and continues after a failure. */
@Tag("thorough")
class UpkeepTest {

    private static final Platform.Times TIMES =
            new Platform.Times(Duration.ofMinutes(2), Duration.ofMinutes(1), Duration.ofMinutes(3));

    private final String url = PostgresServer.shared().createDatabase();

    @AfterEach
    void giveBack() {
        PostgresServer.shared().giveBack(url);
    }

    private static void run(Upkeep upkeep, boolean repairs, String name) {
        upkeep.routines(repairs).stream()
                .filter(routine -> routine.name().equals(name))
                .forEach(routine -> routine.work().run());
    }

    @Test
    void routinesHaveTheirPauses() throws Exception {
        try (PlatformDatabase database = PlatformDatabase.connect(new DatabaseAddress(url, "", ""));
                Platform platform = new Platform(database, TestPlatform.outside(), TIMES, step -> {}, line -> {})) {
            assertThat(platform.upkeep.routines(false))
                    .extracting(Routine::name, Routine::pause)
                    .containsExactly(
                            tuple("resume", Duration.ofMinutes(1)),
                            tuple("checks", Duration.ofMinutes(3)),
                            tuple("migration", Duration.ofMinutes(10)),
                            tuple("tidy", Duration.ofHours(1)));
        }
    }

    @Test
    void damageIsFoundOnScheduleAndMendedOnlyIfWanted() throws Exception {
        try (TestPlatform test = TestPlatform.stopped()) {
            Upkeep upkeep = test.platform.upkeep;
            run(upkeep, false, "checks");
            assertThat(quota(test).offending()).isPositive();
            // Makes every slot available again.
            test.execute("DELETE FROM idempotency_record");
            run(upkeep, true, "checks");
            assertThat(quota(test).offending()).isZero();
        }
    }

    private static CheckResult quota(TestPlatform test) {
        return test.platform.check().results().stream()
                .filter(result -> result.check().equals("quota"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void abandonedAppsExpiredWorkersAndDifferencesAreHandledOnSchedule() throws Exception {
        try (TestPlatform test = TestPlatform.stopped()) {
            Upkeep upkeep = test.platform.upkeep;
            String half = "app WHERE database_status IN ('creating', 'migrating')";
            assertThat(test.count("app WHERE status = 'publishing'")).isPositive();
            assertThat(test.count(half)).isPositive();
            run(upkeep, false, "resume");
            assertThat(test.count("app WHERE status = 'publishing'")).isZero();
            assertThat(test.count(half)).isZero();

            test.execute("UPDATE app_path SET status = 'both'");
            assertThat(test.count("comparison_finding")).isZero();
            run(upkeep, false, "migration");
            assertThat(test.count("comparison_finding")).isPositive();

            test.execute("INSERT INTO worker (id, pid, seen_at) VALUES ('" + UUID.randomUUID()
                    + "', 1, CURRENT_TIMESTAMP - INTERVAL '2' DAY)");
            test.execute("INSERT INTO worker (id, pid, seen_at) VALUES ('" + UUID.randomUUID()
                    + "', 1, CURRENT_TIMESTAMP - INTERVAL '1' HOUR)");
            long workers = test.count("worker");
            run(upkeep, false, "tidy");
            assertThat(test.count("worker")).isEqualTo(workers - 1);
        }
    }

    @Test
    void expiredRecordsAndOldEventsAreDeletedOnSchedule() throws Exception {
        try (TestPlatform test = TestPlatform.idle()) {
            for (String name : new String[] {"old", "new"}) {
                assertThat(test.platform.createApp.execute(
                                Attempt.inScope("workspace:1").key(name).withoutRequest(), 1, name))
                        .isInstanceOf(Outcome.Executed.class);
            }
            test.execute("UPDATE idempotency_record SET expires_at = CURRENT_TIMESTAMP - INTERVAL '1' SECOND"
                    + " WHERE key_value = 'old'");
            test.execute("UPDATE outbox_event SET published_at = CURRENT_TIMESTAMP - INTERVAL '31' DAY"
                    + " WHERE topic = 'cache'");
            test.execute("UPDATE outbox_event SET published_at = CURRENT_TIMESTAMP - INTERVAL '29' DAY"
                    + " WHERE topic = 'search'");
            run(test.platform.upkeep, false, "tidy");
            assertThat(test.one("SELECT key_value FROM idempotency_record")).isEqualTo("new");
            assertThat(test.count("outbox_event WHERE topic = 'cache'")).isZero();
            assertThat(test.count("outbox_event WHERE topic = 'search'")).isEqualTo(2);
        }
    }

    /** There are no tables, so every run fails. */
    @Test
    void scheduleGoesOnAfterAFailure() throws Exception {
        CountDownLatch failures = new CountDownLatch(3);
        Platform.Times often = new Platform.Times(Duration.ofMillis(20), Duration.ofMinutes(1), Duration.ofHours(1));
        try (PlatformDatabase database = PlatformDatabase.connect(new DatabaseAddress(url, "", ""));
                Platform platform = new Platform(database, TestPlatform.outside(), often, step -> {}, line -> {
                    if (line.startsWith("resume: ")) {
                        failures.countDown();
                    }
                })) {
            platform.upkeep.schedule(false);
            assertThat(failures.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }
}
