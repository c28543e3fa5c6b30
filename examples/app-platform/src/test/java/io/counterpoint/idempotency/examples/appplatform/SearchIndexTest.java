package io.counterpoint.idempotency.examples.appplatform;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import io.counterpoint.idempotency.programs.CannotRun;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("thorough")
class SearchIndexTest {
    private TestPlatform test;

    @BeforeEach
    void open() throws CannotRun {
        test = TestPlatform.idle();
    }

    @AfterEach
    void close() {
        test.close();
    }

    private UUID create(String name) throws Refusal {
        return test.platform
                .createApp
                .execute(
                        Attempt.inScope("workspace:1")
                                .key(UUID.randomUUID().toString())
                                .withoutRequest(),
                        1,
                        name)
                .orElseThrow();
    }

    private List<UUID> found(long workspace, String words) {
        return test.database.jdbi().withHandle(handle -> SearchIndex.find(handle, workspace, words));
    }

    private void event(UUID app) {
        test.platform.transactions.useTransaction(
                READ_COMMITTED,
                handle -> SearchIndex.accept(handle, OutboxEvent.ordered(Events.SEARCH, app.toString(), "")));
    }

    private long wrong() {
        return test.count("app WHERE " + SearchIndex.WRONG);
    }

    @Test
    void nameIsFoundByItsWordsWhateverTheirCaseAndOrder() throws Refusal {
        UUID app = create("The App: Session Overview");
        event(app);
        event(create("nothing of it"));
        assertThat(List.of("Session", "SESSION app", "App Session", "session\"*?:["))
                .allSatisfy(words -> assertThat(found(1, words)).containsExactly(app));
        assertThat(List.of("(session AND", "essio", "session other", "!?"))
                .allSatisfy(words -> assertThat(found(1, words)).isEmpty());
        assertThat(found(2, "Session")).isEmpty();
    }

    @Test
    void noTextIsMalformed() {
        assertThat(List.of("*", "a OR b", "name:x", "\"", "((", "a~", "\\", "-", "&&"))
                .allSatisfy(words -> assertThat(found(1, words)).isEmpty());
    }

    @Test
    void everyEventIsFollowed() throws Refusal {
        var unused = test.platform.start();
        UUID second = create("second");
        UUID first = create("First");
        TestPlatform.await(test.platform::isQuiet);
        assertThat(found(1, "")).containsExactly(first, second);
        assertThat(wrong()).isZero();
    }

    @Test
    void eventThatComesTwiceOrLateLeavesTheLatestEntry() throws Refusal {
        UUID app = create("before");
        event(app);
        test.execute("UPDATE app SET name = 'after', version = 2 WHERE id = '" + app + "'");
        event(app);
        event(app);
        assertThat(found(1, "before")).isEmpty();
        assertThat(found(1, "after")).containsExactly(app);
        test.execute("UPDATE app SET name = 'before', version = 1 WHERE id = '" + app + "'");
        event(app);
        assertThat(found(1, "after")).as("an earlier version is not written").containsExactly(app);
        test.execute("UPDATE app SET deleted_at = CURRENT_TIMESTAMP, version = 3 WHERE id = '" + app + "'");
        event(app);
        assertThat(found(1, "")).isEmpty();
    }

    @Test
    void damagedIndexIsFoundByItsCheckAndMendedFromTheTables() throws Refusal {
        UUID lost = create("lost");
        UUID renamed = create("renamed");
        UUID gone = create("gone");
        var unused = test.platform.start();
        TestPlatform.await(test.platform::isQuiet);
        test.execute("DELETE FROM search_entry WHERE app_id = '" + lost + "'");
        test.execute("UPDATE search_entry SET name = 'once' WHERE app_id = '" + renamed + "'");
        test.execute("UPDATE app SET deleted_at = CURRENT_TIMESTAMP WHERE id = '" + gone + "'");
        assertThat(wrong()).isEqualTo(3);
        assertThat(test.platform.upkeep.repair("search-index", false))
                .allMatch(
                        repaired -> repaired.changed() == 3 && repaired.after().offending() == 0);
        TestPlatform.await(test.platform::isQuiet);
        assertThat(wrong()).isZero();
        assertThat(found(1, "")).containsExactly(lost, renamed);
        assertThat(found(1, "once")).isEmpty();
    }

    @Test
    void indexIsFilledAgainOnDemandOfAnOperator() throws Exception {
        UUID app = create("app");
        test.execute("DELETE FROM outbox_event");
        test.execute("INSERT INTO search_entry VALUES ('" + UUID.randomUUID() + "', 1, 'never was', 1, false)");
        assertThat(wrong()).isOne();
        assertThat(Raw.send(test.url(), "POST", "/rebuilds/search-index", "").status())
                .isEqualTo(401);
        Raw answer = Raw.send(test.url(), "POST", "/rebuilds/search-index", "", TestPlatform.OPERATOR);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.text()).contains("{\"apps\":1}");
        assertThat(found(1, "")).containsExactly(app);
        assertThat(wrong()).isZero();
    }
}
