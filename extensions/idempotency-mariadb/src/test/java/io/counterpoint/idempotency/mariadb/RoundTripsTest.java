package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.MariaDbServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How often the server is asked, by its own count of statements. */
@Timeout(60)
class RoundTripsTest {

    /** Autocommit off, the inserts of the work, COMMIT, autocommit on: what the unprotected transaction takes. */
    private static final int DOMAIN = 6;

    /** Connector/J asks before each statement of Jdbi's whether the session may write. */
    private static final int DOMAIN_ON_MYSQL = 9;

    private static final int INSERTS = 3;
    private static final int CALLS = 4;

    private final AtomicInteger keys = new AtomicInteger();
    private TestPool database;
    private Idempotency<Handle> idempotency;

    @BeforeEach
    void open() throws SQLException {
        database = TestPool.with("&useServerPrepStmts=true");
        database.pool().setMaximumPoolSize(1);
        JdbiIdempotencyStore store = JdbiIdempotencyStore.builder(database.pool())
                .dialect(TestPool.dialect())
                .table(database.table())
                .build()
                .createTableIfMissing()
                .checkTable();
        idempotency = Idempotency.on(store);
        execute("CREATE TABLE effect (id varchar(100) NOT NULL)");
    }

    @AfterEach
    void close() {
        if (database != null) {
            database.close();
        }
    }

    /**
     * On MariaDB the first block begins the transaction, and the last one ends it, so a call takes one round trip less than the
     * unprotected work. On MySQL the savepoint takes two statements of its own, the bound of a claim three, and Connector/J
     * rolls back before it turns autocommit on.
     */
    @ParameterizedTest
    @CsvSource({
        "single-planned, -1, 8",
        "single, -1, 9",
        "claim-first-planned, -1, 11",
        "claim-first, -1, 11",
        "record-last, -1, 8"
    })
    void eachProtocolCostsSoManyMoreThanItsDomain(String protocol, int more, int moreOnMySql) throws SQLException {
        int expected = MariaDbServer.shared().isMySql() ? DOMAIN_ON_MYSQL + moreOnMySql : DOMAIN + more;
        for (int i = 0; i < CALLS; i++) {
            int before = questions();
            assertThat(call(protocol, "key-" + keys.incrementAndGet())).isInstanceOf(Outcome.Executed.class);
            assertThat(questions() - before - 1).as("call %d", i).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"single-planned", "claim-first"})
    void replayOfAKeyThatWasMetCostsOne(String protocol) throws SQLException {
        assertThat(call(protocol, "key")).isInstanceOf(Outcome.Executed.class);
        for (int i = 0; i < CALLS; i++) {
            int before = questions();
            assertThat(call(protocol, "key")).isInstanceOf(Outcome.Replayed.class);
            assertThat(questions() - before - 1).isEqualTo(1);
        }
    }

    private Outcome<String> call(String protocol, String key) {
        Operation.Builder<Handle, String> builder = idempotency.operation("operation", ResultCodec.string());
        if (protocol.startsWith("single")) {
            builder.protocol(Operation.Protocol.SINGLE_TRANSACTION);
        } else if (protocol.equals("record-last")) {
            builder.protocol(Operation.Protocol.RECORD_LAST);
        }
        Attempt attempt = Attempt.inScope("user:1").key(key).request("request");
        return protocol.endsWith("planned")
                ? builder.planned().build().execute(attempt, () -> "result", (handle, plan) -> write(handle))
                : builder.build().execute(attempt, handle -> {
                    write(handle);
                    return "result";
                });
    }

    private static void write(Handle handle) {
        for (int i = 0; i < INSERTS; i++) {
            handle.execute("INSERT INTO effect VALUES ('effect')");
        }
    }

    /** With this one. */
    private int questions() throws SQLException {
        try (Connection connection = database.pool().getConnection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery("SHOW SESSION STATUS LIKE 'Questions'")) {
            rows.next();
            return rows.getInt(2);
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = database.pool().getConnection()) {
            LockBound.execute(connection, sql);
        }
    }
}
