package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The settings of the way in which the driver sends statements. Some prevent several statements in one round trip. */
@Tag("thorough")
@Timeout(60)
class PostgreSqlDriverModesTest {

    /** Often enough for the driver to give names to statements. */
    private static final int CALLS = 12;

    private TestDatabase database;

    @BeforeEach
    void open() {
        database = TestDatabase.postgresql();
    }

    @AfterEach
    void close() {
        database.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "preferQueryMode=simple",
                "preferQueryMode=extendedForPrepared",
                "preferQueryMode=extendedCacheEverything",
                "prepareThreshold=0",
                "prepareThreshold=1",
                "prepareThreshold=-1",
                "autosave=always",
                "autosave=conservative",
                "autosave=always&cleanupSavepoints=true",
                "autosave=conservative&cleanupSavepoints=true"
            })
    void leadersLeadAndFollowersFollowHoweverTheDriverSpeaks(String option) {
        for (boolean autoCommit : new boolean[] {true, false}) {
            String url = database.url() + (database.url().contains("?") ? "&" : "?") + option;
            try (TestDatabase spoken = database.with(url, config -> config.setAutoCommit(autoCommit))) {
                List<String> effects = new ArrayList<>(spoken.effects());
                Operation<Handle, String> operation = operation(spoken.store());
                for (int i = 0; i < CALLS; i++) {
                    String value = option + autoCommit + i;
                    effects.add(value);
                    assertThat(call(operation, value)).isInstanceOf(Outcome.Executed.class);
                    assertThat(call(operation(spoken.store()), value)).isInstanceOf(Outcome.Replayed.class);
                }
                assertThat(spoken.effects()).containsExactlyInAnyOrderElementsOf(effects);
            }
        }
    }

    private static Operation<Handle, String> operation(JdbiIdempotencyStore store) {
        return Idempotency.on(store)
                .operation("operation", ResultCodec.string())
                .build();
    }

    private static Outcome<String> call(Operation<Handle, String> operation, String value) {
        return operation.execute(Attempt.inScope("user:1").key("key" + value).request("request"), handle -> {
            TestDatabase.write(handle, value);
            return value;
        });
    }
}
