package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterpoint.idempotency.consistency.comparison.JdbiJournal;
import io.counterpoint.idempotency.consistency.comparison.Journal;
import io.counterpoint.idempotency.examples.appplatform.http.Client.Answer;
import io.counterpoint.idempotency.examples.appplatform.http.Client.Request;
import io.counterpoint.idempotency.examples.appplatform.usecase.Step;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * {@code POST /apps} and its reads switch from the old path to both paths and then to the new one. Rows are counted in
 * SQL.
 */
@Tag("thorough")
class DualWriteTest {

    private static final String NEITHER = "app a WHERE NOT EXISTS (SELECT 1 FROM app_by_user u WHERE u.id = a.id)"
            + " AND NOT EXISTS (SELECT 1 FROM app_by_workspace w WHERE w.id = a.id)";

    private final AtomicInteger names = new AtomicInteger();
    private TestPlatform test;

    private void open(Consumer<Step> at) throws Exception {
        test = TestPlatform.empty(at);
    }

    @AfterEach
    void close() {
        test.close();
    }

    private UUID create() throws Exception {
        String name = "app " + names.incrementAndGet();
        Answer answer = test.client.send(
                test.url(),
                new Request(
                        "/apps", 1, List.of("Idempotency-Key", "\"" + UUID.randomUUID() + "\""), Map.of("name", name)));
        assertThat(answer.status()).isEqualTo(201);
        return UUID.fromString(answer.body().path("app").asText());
    }

    private JsonNode operator(String path, Map<String, Object> body, int status) throws Exception {
        Answer answer = test.client.send(
                test.url(), new Request("/migrations/apps" + path, 1, TestPlatform.OPERATOR_HEADER, body));
        assertThat(answer.status()).as(answer.body().toString()).isEqualTo(status);
        return answer.body();
    }

    private void switchTo(String mode) throws Exception {
        assertThat(operator("/mode", Map.of("mode", mode), 200).path("mode").asText())
                .isEqualTo(mode);
    }

    private void repairByTheOldTable() throws Exception {
        operator("/comparisons", Map.of(), 200);
        operator("/choices", Map.of("right", "old"), 200);
        assertThat(operator("/repairs", Map.of(), 200).path("left").asInt()).isZero();
    }

    private JsonNode findings() throws Exception {
        return test.client.get(test.url() + "/migrations/apps", 1, TestPlatform.OPERATOR_HEADER);
    }

    /** Rows in the old table and in the new one. */
    private List<Long> stored(UUID app) {
        return List.of(
                test.count("app_by_user WHERE id = '" + app + "'"),
                test.count("app_by_workspace WHERE id = '" + app + "'"));
    }

    private boolean isRead(UUID app) throws Exception {
        JsonNode one = test.client.get(test.url() + "/apps/" + app, 1, List.of());
        JsonNode all = test.client.get(test.url() + "/apps", 1, List.of());
        return one.path("app").asText().equals(app.toString())
                && all.path("apps").findValuesAsText("app").contains(app.toString());
    }

    @Test
    void appsAreWrittenAndReadAlongThePathOfTheMode() throws Exception {
        open(step -> {});
        UUID old = create();
        switchTo("both");
        UUID both = create();
        assertThat(stored(old)).containsExactly(1L, 0L);
        assertThat(stored(both)).containsExactly(1L, 1L);
        assertThat(isRead(old)).isTrue();
        assertThat(isRead(both)).isTrue();
        repairByTheOldTable();
        switchTo("new");
        UUID replacement = create();
        assertThat(stored(replacement)).containsExactly(0L, 1L);
        for (UUID app : List.of(old, both, replacement)) {
            assertThat(isRead(app)).isTrue();
        }
        test.execute("UPDATE app_by_workspace SET workspace_id = 2 WHERE id = '" + both + "'");
        assertThat(isRead(both)).as("whose it is, says the new table").isFalse();
    }

    @Test
    void switchWaitsForWritesUnderWayAndLaterWritesWaitForIt() throws Exception {
        CountDownLatch written = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicBoolean first = new AtomicBoolean(true);
        open(step -> {
            if (step == Step.CREATE_NOT_COMMITTED && first.getAndSet(false)) {
                written.countDown();
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        });
        CompletableFuture<UUID> before = inBackground();
        written.await();
        CompletableFuture<Void> switched = CompletableFuture.runAsync(() -> {
            try {
                switchTo("both");
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        TestPlatform.await(() -> waiting() == 1 || switched.isDone());
        CompletableFuture<UUID> after = inBackground();
        TestPlatform.await(() -> waiting() == 2 || after.isDone());
        assertThat(switched).as("the switch waits for a write under way").isNotDone();
        assertThat(after).as("a later write does not overtake the switch").isNotDone();
        goOn.countDown();
        switched.join();
        assertThat(stored(before.join())).containsExactly(1L, 0L);
        assertThat(stored(after.join())).containsExactly(1L, 1L);
    }

    private CompletableFuture<UUID> inBackground() {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return create();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }

    private long waiting() {
        return test.count("pg_locks WHERE NOT granted AND relation = 'app_path'::regclass"
                + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())");
    }

    @Test
    void noWriteUnderLoadGoesByTheEarlierMode() throws Exception {
        open(step -> {});
        try (CreatingClients load = new CreatingClients(test)) {
            load.await(60);
            switchTo("both");
            load.phase("both");
            load.await(60);
            repairByTheOldTable();
            switchTo("new");
            load.phase("new");
            load.await(60);
        }
        assertThat(test.count("app_by_user u WHERE NOT EXISTS (SELECT 1 FROM app_by_workspace w WHERE w.id = u.id)"))
                .as("apps that the switch to the new path lost")
                .isZero();
        assertThat(test.count(NEITHER)).isZero();
        assertThat(test.count("app_by_user u JOIN app a ON a.id = u.id WHERE a.name LIKE 'new %'"))
                .as("apps that were asked for after the switch to the new path, and written along the old one")
                .isZero();
        assertThat(test.count("app a WHERE a.name LIKE 'both %' AND NOT EXISTS"
                        + " (SELECT 1 FROM app_by_workspace w WHERE w.id = a.id)"))
                .isZero();
        assertThat(test.count("app WHERE name LIKE 'old %'")).isPositive();
        assertThat(test.count("app WHERE name LIKE 'new %'")).isPositive();
        System.out.println("created under load: "
                + test.some(
                        "SELECT split_part(name, ' ', 1) || ': ' || count(*)"
                                + " FROM app GROUP BY split_part(name, ' ', 1)",
                        3));
    }

    @Test
    void goingBackFromBothToOldLosesNothing() throws Exception {
        open(step -> {});
        switchTo("both");
        UUID both = create();
        switchTo("old");
        UUID back = create();
        assertThat(stored(back)).containsExactly(1L, 0L);
        assertThat(isRead(both)).isTrue();
        assertThat(isRead(back)).isTrue();
        switchTo("both");
        operator("/comparisons", Map.of(), 200);
        assertThat(findings().path("differences").findValuesAsText("app")).containsExactly(back.toString());
        repairByTheOldTable();
        switchTo("new");
        assertThat(isRead(both)).isTrue();
        assertThat(isRead(back)).isTrue();
        assertThat(test.some(
                        "SELECT from_state || ' ' || to_state FROM transition_history WHERE machine = 'app-paths'"
                                + " ORDER BY seq",
                        9))
                .containsExactly("old both", "both old", "old both", "both new");
    }

    @Test
    void newPathIsRefusedWhileBothTablesDiffer() throws Exception {
        open(step -> {});
        UUID app = create();
        assertThat(operator("/mode", Map.of("mode", "new"), 422).path("detail").asText())
                .contains("from old to new");
        switchTo("both");
        assertThat(operator("/mode", Map.of("mode", "new"), 422).path("detail").asText())
                .contains("differ in 1 apps");
        assertThat(findings().path("mode").asText()).as("nothing was switched").isEqualTo("both");
        repairByTheOldTable();
        assertThat(stored(app)).containsExactly(1L, 1L);
        switchTo("new");
        switchTo("new");
        operator("/mode", Map.of("mode", "both"), 422);
        operator("/comparisons", Map.of(), 422);
        operator("/repairs", Map.of(), 422);
    }

    @Test
    void operatorChoosesTheRightSideOfEachFinding() throws Exception {
        open(step -> {});
        switchTo("both");
        UUID renamed = create();
        UUID kept = create();
        test.execute("UPDATE app_by_workspace SET name = 'new name', version = 2");
        operator("/comparisons", Map.of(), 200);
        assertThat(findings().path("differences").findValuesAsText("old"))
                .containsExactlyInAnyOrder(
                        "{\"workspace_id\":1,\"name\":\"app 1\"}", "{\"workspace_id\":1,\"name\":\"app 2\"}");
        assertThat(findings().path("differences").findValuesAsText("new"))
                .containsOnly("{\"workspace_id\":1,\"name\":\"new name\"}");
        String choices = "/migrations/apps/choices";
        assertThat(Raw.send(test.url(), "POST", choices, "{\"right\":\"old\"}").status())
                .isEqualTo(401);
        operator("/choices", Map.of("right", "older"), 400);
        operator("/choices", Map.of("right", "new", "app", UUID.randomUUID()), 404);
        operator("/choices", Map.of("right", "new", "app", renamed), 200);
        JsonNode repaired = operator("/repairs", Map.of(), 200);
        assertThat(repaired.path("changes").asInt()).isOne();
        assertThat(repaired.path("left").asInt()).isOne();
        assertThat(test.one("SELECT name FROM app_by_user WHERE id = '" + renamed + "'"))
                .isEqualTo("new name");
        operator("/choices", Map.of("right", "old", "app", kept), 200);
        assertThat(operator("/repairs", Map.of(), 200).path("left").asInt()).isZero();
        assertThat(test.one("SELECT name FROM app_by_workspace WHERE id = '" + kept + "'"))
                .isEqualTo("app 2");
        assertThat(test.one("SELECT version FROM app WHERE id = '" + renamed + "'"))
                .as("cache and search get an event for it")
                .isEqualTo("2");
        TestPlatform.await(() -> isRenamed(renamed));
    }

    /** The first comparison waits for a lock while the other one begins. */
    @Test
    void comparisonThatAnotherSupersedesIsRefused() throws Exception {
        open(step -> {});
        switchTo("both");
        UUID unused = create();
        Jdbi jdbi = test.database.jdbi();
        try (Handle lock = jdbi.open()) {
            test.execute("ALTER TABLE app_by_workspace RENAME TO kept");
            test.execute("CREATE VIEW app_by_workspace AS"
                    + " SELECT * FROM kept WHERE (SELECT true FROM pg_advisory_xact_lock_shared(1))");
            lock.begin();
            lock.execute("SELECT pg_advisory_xact_lock(1)");
            CompletableFuture<Raw> first = CompletableFuture.supplyAsync(() -> {
                try {
                    return Raw.send(test.url(), "POST", "/migrations/apps/comparisons", "{}", TestPlatform.OPERATOR);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            TestPlatform.await(() -> test.count("comparison_run WHERE NOT finished") == 1 || first.isDone());
            Journal.Run other = JdbiJournal.on(jdbi)
                    .open(test.platform.migration.comparison().name(), true);
            lock.rollback();
            assertThat(first.join().status()).isEqualTo(422);
            assertThat(first.join().text()).contains("Another comparison has started meanwhile");
            other.advance(other.start(), List.of());
        }
    }

    private boolean isRenamed(UUID app) {
        try {
            return test.client
                    .get(test.url() + "/apps/" + app, 1, List.of())
                    .path("name")
                    .asText()
                    .equals("new name");
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
