package io.counterpoint.idempotency.examples.appplatform;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.consistency.check.CheckResult;
import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import io.counterpoint.idempotency.examples.appplatform.TestPlatform.On;
import io.counterpoint.idempotency.examples.appplatform.search.AppIndex;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import io.counterpoint.idempotency.programs.CannotRun;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Two nodes over one database, each with an index of its own. */
@Tag("thorough")
@ParameterizedClass
@EnumSource
class SearchNodeTest {

    @Parameter
    On kind;

    private TestPlatform test;
    private Platform other;

    @BeforeEach
    void open() throws CannotRun {
        test = TestPlatform.empty(kind);
        other = another(Duration.ofMinutes(1)).start();
    }

    private Platform another(Duration silence) {
        return new Platform(
                test.database,
                TestPlatform.outside(),
                new Platform.Times(Duration.ofHours(1), silence, Duration.ofHours(1)),
                step -> {},
                line -> {});
    }

    @AfterEach
    void close() {
        other.close();
        test.close();
    }

    private UUID create(String name) throws Refusal {
        return test.platform
                .createApp()
                .execute(Attempt.in("workspace:1").key(name).request(), 1, name)
                .orElseThrow();
    }

    private List<UUID> found(Platform node, String text) {
        return node.search().find(1, text, 10);
    }

    @Test
    void everyNodeGetsEveryEvent() throws Refusal {
        UUID first = create("first");
        UUID second = create("second");
        TestPlatform.await(() -> test.platform.isQuiet());
        for (Platform node : List.of(test.platform, other)) {
            assertThat(found(node, "First")).containsExactly(first);
            assertThat(found(node, "SECOND")).containsExactly(second);
            assertThat(node.search().compare()).isZero();
            // Each is handed on at least once.
            assertThat(node.search().lag().measured().events()).isGreaterThanOrEqualTo(2);
        }
    }

    @Test
    void eventThatComesTwiceOrLateWritesTheSameEntry() throws Refusal {
        UUID app = create("app");
        TestPlatform.await(() -> test.platform.isQuiet());
        test.execute("UPDATE app SET name = 'renamed' WHERE id = '" + app + "'");
        OutboxEvent event = OutboxEvent.ordered(Events.SEARCH, app.toString(), "");
        test.platform
                .transactions()
                .useTransaction(
                        READ_COMMITTED,
                        handle -> test.platform.events().outbox().append(handle, event));
        TestPlatform.await(() -> test.platform.isQuiet());
        test.platform.search().fanOut(event);
        test.platform.search().fanOut(event);
        TestPlatform.await(() -> test.platform.isQuiet());
        for (Platform node : List.of(test.platform, other)) {
            assertThat(found(node, "")).containsExactly(app);
            assertThat(found(node, "renamed")).containsExactly(app);
        }
        test.execute("UPDATE app SET deleted_at = CURRENT_TIMESTAMP WHERE id = '" + app + "'");
        test.platform.search().fanOut(event);
        TestPlatform.await(() -> test.platform.isQuiet());
        assertThat(found(test.platform, "")).isEmpty();
        assertThat(found(other, "")).isEmpty();
    }

    @Test
    void nodeThatComesLaterFindsWhatWasThereBefore() throws Refusal {
        UUID app = create("early");
        try (Platform late = another(Duration.ofMinutes(1)).start()) {
            assertThat(found(late, "early")).containsExactly(app);
        }
        assertThat(test.count("search_node")).isEqualTo(2);
    }

    @Test
    void damagedIndexIsFoundByItsCheckAndMendedFromTheTables() throws Refusal {
        UUID lost = create("lost");
        UUID renamed = create("renamed");
        TestPlatform.await(() -> test.platform.isQuiet());
        other.search().index().remove(lost);
        other.search().index().put(renamed, new AppIndex.Entry(1, "once"));
        CheckResult before = search(other);
        assertThat(before.offending()).isEqualTo(2);
        assertThat(before.sample().toString())
                .contains("in_table=workspace 1: renamed, in_index=workspace 1: once", "in_index=null");
        assertThat(test.platform.upkeep().repair("search-index", false))
                .allMatch(
                        repaired -> repaired.changed() == 2 && repaired.after().offending() == 0);
        TestPlatform.await(() -> test.platform.isQuiet());
        assertThat(search(other).offending()).isZero();
        assertThat(found(other, "lost")).containsExactly(lost);
        assertThat(found(other, "once")).isEmpty();
    }

    private static CheckResult search(Platform node) {
        return node.check().results().stream()
                .filter(result -> result.check().equals("search-index"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void everyNodeFillsItsIndexAgainOnDemand() throws Exception {
        UUID app = create("app");
        TestPlatform.await(() -> test.platform.isQuiet());
        for (Platform node : List.of(test.platform, other)) {
            node.search().index().remove(app);
            node.search().index().put(UUID.randomUUID(), new AppIndex.Entry(1, "never was"));
        }
        Raw answer = Raw.send(test.url(), "POST", "/rebuilds/search-index", "", TestPlatform.OPERATOR);
        assertThat(answer.status()).isEqualTo(202);
        assertThat(answer.text()).contains("{\"nodes\":2}");
        TestPlatform.await(() -> test.platform.isQuiet());
        for (Platform node : List.of(test.platform, other)) {
            assertThat(found(node, "")).containsExactly(app);
        }
        assertThat(Raw.send(test.url(), "POST", "/rebuilds/search-index", "").status())
                .isEqualTo(401);
    }

    /** As a node that stood still for long: its subscription is dropped with its events, and it begins again. */
    @Test
    void nodeThatLostItsSubscriptionFillsItsIndexAgain() throws Refusal {
        try (Platform paused = another(Duration.ofSeconds(1))) {
            SearchNode search = paused.search().start();
            UUID app = create("meanwhile");
            test.execute("DELETE FROM search_node");
            TestPlatform.await(() -> search.find(1, "meanwhile", 1).equals(List.of(app)));
            assertThat(test.count("search_node")).isPositive();
        }
    }

    @Test
    void nodeThatIsGoneLeavesNothing() throws Refusal {
        other.close();
        assertThat(create("app")).isNotNull();
        TestPlatform.await(() -> test.platform.isQuiet());
        assertThat(test.count("search_node")).isEqualTo(1);
        // As after kill -9: it is not seen any more.
        test.execute(
                "INSERT INTO search_node VALUES ('" + UUID.randomUUID() + "', CURRENT_TIMESTAMP - INTERVAL '1' DAY)");
        assertThat(create("another")).isNotNull();
        try (Platform living = another(Duration.ofSeconds(1))) {
            living.search().start();
            TestPlatform.await(() -> test.count("search_node") == 2);
        }
        TestPlatform.await(() -> test.platform.isQuiet());
    }
}
