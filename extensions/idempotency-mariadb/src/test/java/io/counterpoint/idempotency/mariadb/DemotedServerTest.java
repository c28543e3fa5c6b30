package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Operation.Protocol;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.MariaDbServer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A server that becomes read-only, and what servers say beside their answers to the work and to its COMMIT. */
@Tag("thorough")
@Timeout(60)
class DemotedServerTest {

    private static MariaDbServer server;

    private HikariDataSource pool;
    private Jdbi jdbi;
    private String table;
    private final List<Protocol> doubted = new ArrayList<>();
    private int runs;

    @BeforeAll
    static void start() {
        Assumptions.assumeFalse(MariaDbServer.isExternal(), "a server is made read-only");
        server = MariaDbServer.start("--secure-file-priv=/usr");
        // Administrators write to a server that only reads.
        server.execute("CREATE USER app");
        server.execute("GRANT FILE ON *.* TO app");
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    @BeforeEach
    void open() {
        String url = server.createDatabase();
        String name = url.replaceFirst("^.*/([^?]*).*$", "$1");
        table = name + ".idempotency_record";
        server.execute("GRANT ALL ON " + name + ".* TO app");
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url.replaceFirst("user=[^&]*", "user=app"));
        config.setMaximumPoolSize(1);
        pool = new HikariDataSource(config);
        jdbi = Jdbi.create(pool);
        JdbiIdempotencyStore unused = store().createTableIfMissing();
        jdbi.useHandle(handle -> handle.execute("CREATE TABLE effect (id varchar(100) NOT NULL)"));
    }

    @AfterEach
    void close() {
        demote(false);
        pool.close();
    }

    private static void demote(boolean reads) {
        server.execute("SET GLOBAL read_only = " + (reads ? "ON" : "OFF"));
    }

    private JdbiIdempotencyStore store() {
        return JdbiIdempotencyStore.builder(jdbi)
                .dialect(TestPool.dialect())
                .table(table)
                .build();
    }

    private Operation<Handle, String> operation(Protocol protocol, int retries) {
        return Idempotency.builder(store().checkTable())
                .listener(IdempotencyListener.on(IdempotencyEvent.CommitUnknown.class, event -> doubted.add(protocol)))
                .listener(IdempotencyListener.on(IdempotencyEvent.Retried.class, event -> demote(false)))
                .build()
                .operation("operate", ResultCodec.string())
                .protocol(protocol)
                .maxRetries(retries)
                .build();
    }

    private static Attempt attempt(Protocol protocol) {
        return Attempt.inScope("user:1").key(protocol.name()).withoutRequest();
    }

    private List<String> effects() {
        return jdbi.withHandle(handle ->
                handle.createQuery("SELECT id FROM effect").mapTo(String.class).list());
    }

    private static String write(Handle handle) {
        handle.execute("INSERT INTO effect VALUES ('effect')");
        return "result";
    }

    /** 1290: in the library's own statement, or at the end of work that meets no other. */
    @ParameterizedTest
    @EnumSource
    void callOfAServerThatOnlyReadsHasNoEffectAndNamesTheCause(Protocol protocol) {
        Operation<Handle, String> operation = operation(protocol, 0);
        demote(true);

        Throwable thrown = catchThrowable(() -> operation.execute(attempt(protocol), DemotedServerTest::write));

        assertThat(thrown).isInstanceOf(NotStartedException.class);
        assertThat(thrown)
                .hasStackTraceContaining(
                        protocol == Protocol.RECORD_LAST ? "--read-only option" : "the server is read-only");
        demote(false);
        assertThat(effects()).isEmpty();
        assertThat(operation.execute(attempt(protocol), DemotedServerTest::write))
                .isInstanceOf(Outcome.Executed.class);
    }

    /** 1290 with the name of an option that does not concern tables. */
    @ParameterizedTest
    @EnumSource
    void statementThatAnotherOptionPreventsFailsItsAttemptAtOnce(Protocol protocol) {
        Operation<Handle, String> operation = operation(protocol, 1);

        Throwable thrown = catchThrowable(() -> operation.execute(attempt(protocol), handle -> {
            runs++;
            handle.execute("SELECT 1 INTO OUTFILE '/tmp/outside'");
            return "never";
        }));

        assertThat(thrown).hasStackTraceContaining("--secure-file-priv");
        assertThat(runs).isEqualTo(1);
        assertThat(operation.execute(attempt(protocol), handle -> "again")).isInstanceOf(Outcome.Rejected.class);
    }

    /** The server is back before the second run. 1290 and 1836, in the work and at its COMMIT. */
    @ParameterizedTest
    @CsvSource({
        "CLAIM_FIRST, work", "SINGLE_TRANSACTION, work", "RECORD_LAST, work",
        "CLAIM_FIRST, commit", "SINGLE_TRANSACTION, commit", "RECORD_LAST, commit",
        "CLAIM_FIRST, 1836", "SINGLE_TRANSACTION, 1836", "RECORD_LAST, 1836"
    })
    void runThatMeetsAServerThatOnlyReadsIsRepeatedOnAnotherConnection(Protocol protocol, String where) {
        Operation<Handle, String> operation = operation(protocol, 1);
        List<Long> connections = new ArrayList<>();

        Outcome<String> outcome = operation.execute(attempt(protocol), handle -> {
            connections.add(handle.createQuery("SELECT connection_id()")
                    .mapTo(Long.class)
                    .one());
            boolean first = ++runs == 1;
            if (first && where.equals("1836")) {
                handle.execute("SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 1836");
            }
            if (first && where.equals("work")) {
                demote(true);
            }
            String result = write(handle);
            if (first && where.equals("commit")) {
                demote(true);
            }
            return result;
        });

        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(connections).hasSize(2).doesNotHaveDuplicates();
        assertThat(effects()).hasSize(1);
    }

    static Stream<String> warnings() {
        Stream<String> ofBoth = Stream.of(
                "INSERT IGNORE INTO effect VALUES (NULL)",
                "DROP TEMPORARY TABLE IF EXISTS nothing",
                "DO 1 / 0",
                "DO CAST('abc' AS SIGNED)",
                "SIGNAL SQLSTATE '01000' SET MESSAGE_TEXT = 'a warning', MYSQL_ERRNO = 1642");
        // In a transaction, MySQL with GTIDs refuses it.
        return server.isMySql() ? ofBoth : Stream.concat(ofBoth, Stream.of("INSERT INTO logged VALUES (1)"));
    }

    /** What the work's statements have left in the list of warnings says nothing of the COMMIT. */
    @ParameterizedTest
    @MethodSource("warnings")
    void warningOfTheWorkLeavesNoDoubt(String statement) {
        jdbi.useHandle(handle -> handle.execute("CREATE TABLE IF NOT EXISTS logged (id int) ENGINE = MyISAM"));
        for (Protocol protocol : Protocol.values()) {
            Operation<Handle, String> operation = operation(protocol, 1);

            assertThat(operation.execute(attempt(protocol), handle -> {
                        String result = write(handle);
                        handle.execute(statement);
                        return result;
                    }))
                    .as(protocol.name())
                    .isInstanceOf(Outcome.Executed.class);
            assertThat(operation.execute(attempt(protocol), handle -> "again")).isInstanceOf(Outcome.Replayed.class);
        }
        assertThat(doubted).isEmpty();
    }
}
