package io.counterpoint.idempotency.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.RecordedOperation;
import io.counterpoint.idempotency.function.CheckedFunction;
import java.sql.Connection;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** The library inserts the row of the key, and repositories join its transaction. */
class RecordedRowTest {

    @ParameterizedTest
    @EnumSource
    void rowAndRepositoriesCommitTogetherOrNotAtAll(Application.Way way) {
        try (Application application = Application.start(Database.Kind.H2, way)) {
            Effects effects = application.bean(Effects.class);
            JdbcTemplate jdbc = application.database.jdbc();
            jdbc.execute(
                    "CREATE TABLE ticket (id varchar(36) PRIMARY KEY, key_id varchar(64) UNIQUE, request varchar(64))");
            RecordedOperation<Connection, String> operation = operation(application.store(), jdbc);

            assertThatThrownBy(() -> call(operation, "first", connection -> {
                        effects.write("lost");
                        throw new IllegalStateException("no");
                    }))
                    .hasMessage("no");
            Outcome<String> second = call(operation, "second", connection -> {
                effects.write("kept");
                return "second";
            });
            Outcome<String> third = call(operation, "third", connection -> {
                effects.write("never");
                return "third";
            });

            assertThat(second).isInstanceOf(Outcome.Executed.class);
            assertThat(third).isEqualTo(new Outcome.Replayed<>(second.key(), "second"));
            assertThat(jdbc.queryForList("SELECT id FROM ticket", String.class)).containsExactly("second");
            assertThat(application.database.effects()).containsExactly("kept");
        }
    }

    private static RecordedOperation<Connection, String> operation(SpringIdempotencyStore store, JdbcTemplate jdbc) {
        return Idempotency.on(store)
                .recorded(
                        "buy",
                        store.recordedIn("ticket", "key_id", "request"),
                        (Connection connection, IdempotencyKey key) -> Optional.ofNullable(jdbc.queryForObject(
                                "SELECT id FROM ticket WHERE key_id = ?", String.class, key.hash())))
                .build();
    }

    private static Outcome<String> call(
            RecordedOperation<Connection, String> operation,
            String id,
            CheckedFunction<Connection, String, RuntimeException> work) {
        return operation.execute(Attempt.in("user:1").key("k").request("ticket"), Map.of("id", id), work);
    }
}
