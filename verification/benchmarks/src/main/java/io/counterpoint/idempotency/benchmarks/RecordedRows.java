package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.RecordedOperation;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import java.sql.Connection;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** The group's own row as the record: with a column for the key, or with a primary key that is derived from it. */
final class RecordedRows {

    static final String ROW = "recorded in the domain's row";
    static final String DERIVED = ROW + ", derived primary key";

    private RecordedRows() {}

    static void createTables(Database database) {
        database.execute("CREATE TABLE recorded_group (id uuid PRIMARY KEY, name text NOT NULL, key_id bytea UNIQUE,"
                + " request bytea)");
        database.execute("CREATE TABLE derived_group (id uuid PRIMARY KEY, name text NOT NULL, request bytea)");
    }

    static Variant.Action action(String name, JdbcIdempotencyStore store) {
        boolean derived = name.equals(DERIVED);
        RecordedOperation<Connection, UUID> operation = Idempotency.on(store)
                .recorded(
                        derived ? "derived" : "recorded",
                        derived
                                ? store.recordedIn("public.derived_group", "id", "request")
                                : store.recordedIn("public.recorded_group", "key_id", "request"),
                        (Connection connection, IdempotencyKey key) -> Optional.<UUID>empty())
                .build();
        return key -> {
            Attempt attempt = LibraryVariant.attempt(key);
            UUID id = derived ? operation.keyOf(attempt).uuid() : Domain.newGroupId();
            Map<String, Object> row =
                    derived ? Map.of("name", Domain.GROUP_NAME) : Map.of("id", id, "name", Domain.GROUP_NAME);
            return LibraryVariant.answer(operation.execute(attempt, row, connection -> {
                Domain.addTo(connection, id);
                return id;
            }));
        };
    }
}
