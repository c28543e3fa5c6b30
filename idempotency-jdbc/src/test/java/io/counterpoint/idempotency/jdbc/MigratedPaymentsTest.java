package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.jdbc.guide.MigratedPayments;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The way from a key table of one's own, as the page shows it, keeps its answers. */
class MigratedPaymentsTest {

    private TestDatabase database;

    @BeforeEach
    void oldTable() {
        database = TestDatabase.postgresql();
        database.jdbi().useHandle(handle -> handle.createScript("""
                CREATE TABLE payment (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, user_id text, cents bigint, receipt text);
                CREATE TABLE processed_request (user_id text, request_id text, response text, PRIMARY KEY (user_id, request_id));
                INSERT INTO processed_request VALUES ('42', 'answered', 'receipt-of-old'), ('42', 'dead', NULL);
                INSERT INTO payment (user_id, cents, receipt) VALUES ('41', 100, 'receipt-of-old');
                """).execute());
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void migrationPageShowsTheClassThatRunsHere() throws IOException {
        String source =
                Files.readString(Path.of("src/test/java/io/counterpoint/idempotency/jdbc/guide/MigratedPayments.java"));
        String shown = source.substring(source.indexOf("import "));
        assertThat(Files.readString(Path.of("../docs/live-service.md"))).contains("```java\n" + shown + "```");
    }

    @Test
    void requestThatAnOldNodeAnsweredKeepsItsAnswer() {
        assertThat(payments().pay("42", "answered", 100).orElseThrow()).isEqualTo("receipt-of-old");
        assertThat(payments().pay("42", "answered", 100).isReplay()).isTrue();
        assertThat(payments("42")).isZero();
    }

    @Test
    void keyThatAnOldNodeUsedForAnotherRequestIsRefused() {
        for (int tries = 0; tries < 2; tries++) {
            assertThatThrownBy(() -> payments().pay("42", "answered", 777))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("used for a payment of 100");
        }
        assertThat(payments("42")).isZero();
        assertThat(payments().pay("42", "answered", 100).orElseThrow()).isEqualTo("receipt-of-old");
    }

    /** An old node knows no record, and carries the request out. Its retry must not be asked for a new key. */
    @Test
    void requestThatFailedInANewNodeHasTheAnswerOfTheOldNodeThatCarriedItOut() {
        assertThatThrownBy(() -> payments().pay("42", "retried", 0)).isInstanceOf(IllegalArgumentException.class);
        oldNodeBooks("retried", 0);

        assertThat(payments().pay("42", "retried", 0).orElseThrow()).isEqualTo("receipt-of-retried");
        assertThat(payments("42")).isOne();
    }

    private void oldNodeBooks(String requestId, long cents) {
        database.jdbi().useTransaction(handle -> {
            handle.execute("INSERT INTO processed_request VALUES ('42', ?, ?)", requestId, "receipt-of-" + requestId);
            handle.execute(
                    "INSERT INTO payment (user_id, cents, receipt) VALUES ('42', ?, ?)",
                    cents,
                    "receipt-of-" + requestId);
        });
    }

    @Test
    void oldNodesFindTheAnswersOfNewOnes() {
        String receipt = payments().pay("42", "new", 100).orElseThrow();
        Map<String, Object> row = database.jdbi()
                .withHandle(
                        handle -> handle.createQuery("SELECT response FROM processed_request WHERE request_id = 'new'")
                                .mapToMap()
                                .one());
        assertThat(row).containsEntry("response", receipt);
        assertThat(payments("42")).isOne();
    }

    @Test
    void requestWithoutAnOldAnswerIsRefusedAndNotRun() {
        assertThatThrownBy(() -> payments().pay("42", "dead", 100)).isInstanceOf(IllegalStateException.class);
        assertThat(payments("42")).isZero();
    }

    private MigratedPayments payments() {
        return new MigratedPayments(Idempotency.on(database.store()));
    }

    private int payments(String userId) {
        return database.jdbi()
                .withHandle(handle -> handle.createQuery("SELECT count(*) FROM payment WHERE user_id = ?")
                        .bind(0, userId)
                        .mapTo(Integer.class)
                        .one());
    }
}
