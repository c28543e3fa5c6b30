package io.counterpoint.idempotency.mariadb;

import static io.counterpoint.idempotency.mariadb.ProxiedCalls.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.mariadb.ProxiedCalls.Shape;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.testing.Cut;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Predicate;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings of a driver's URL with which every promise is kept. */
@Tag("matrix")
@Timeout(120)
@ParameterizedClass
@CsvSource(
        delimiter = '|',
        nullValues = "-",
        value = {
            "MARIADB | -           | -",
            "MARIADB | -           | useAffectedRows=true",
            "MARIADB | -           | rewriteBatchedStatements=true&allowMultiQueries=true",
            "MARIADB | -           | useBulkStmts=true",
            "MARIADB | -           | useBulkStmts=true&useServerPrepStmts=true",
            "MARIADB | -           | useBulkStmtsForInserts=false&useServerPrepStmts=true&cachePrepStmts=false",
            "MARIADB | -           | allowMultiQueries=false&disablePipeline=true",
            "MARIADB | -           | jdbcCompliantTruncation=true",
            "MARIADB | -           | defaultFetchSize=1",
            "MARIADB | -           | tinyInt1isBit=false&transformedBitIsBoolean=false",
            "MARIADB | -           | connectionTimeZone=+09:00&forceConnectionTimeZoneToSession=true&pureLocalDateTime=false",
            "MARIADB | -           | timezone=+09:00&preserveInstants=true&pureLocalDateTime=false",
            "MARIADB | -           | useLocalSessionState=true",
            "MARIADB | -           | autocommit=false",
            "MARIADB | -           | useMysqlMetadata=true&permitNoResults=false&uuidAsString=true",
            "MARIADB | -           | autoReconnect=true",
            "MARIADB | sequential  | -",
            "MARIADB | replication | -",
            "MARIADB | load-balance-read | -",
            "MARIADB | loadbalance | -",
            "MARIADB | -           | pool=true&minPoolSize=0&maxPoolSize=4",
            "MARIADB | -           | pool=true&minPoolSize=0&maxPoolSize=4&useResetConnection=true",
            "MARIADB | -           | connectionCollation=utf8mb4_general_ci&useCatalogTerm=SCHEMA",
            "MARIADB | -           | readOnlyPropagatesToServer=false&permitRedirect=false",
            "MARIADB | -           | sessionVariables=completion_type=0,innodb_lock_wait_timeout=1",
            "MARIADB | -           | sessionVariables=sql_safe_updates=1",
            "MYSQL   | -           | -",
            "MYSQL   | -           | useAffectedRows=true",
            "MYSQL   | -           | rewriteBatchedStatements=true",
            "MYSQL   | -           | rewriteBatchedStatements=true&allowMultiQueries=true&useServerPrepStmts=true",
            "MYSQL   | -           | continueBatchOnError=false",
            "MYSQL   | -           | useServerPrepStmts=true&cachePrepStmts=true",
            "MYSQL   | -           | emulateUnsupportedPstmts=false&useServerPrepStmts=true",
            "MYSQL   | -           | useLocalSessionState=true&elideSetAutoCommits=true",
            "MYSQL   | -           | useLocalTransactionState=true",
            "MYSQL   | -           | useLocalTransactionState=true&useServerPrepStmts=true&rewriteBatchedStatements=true",
            "MYSQL   | -           | useConfigs=maxPerformance",
            "MYSQL   | -           | useCursorFetch=true&defaultFetchSize=1",
            "MYSQL   | -           | tinyInt1isBit=false&transformedBitIsBoolean=true",
            "MYSQL   | -           | connectionTimeZone=%2B09:00&forceConnectionTimeZoneToSession=true&preserveInstants=true",
            "MYSQL   | -           | zeroDateTimeBehavior=CONVERT_TO_NULL&sendFractionalSeconds=false",
            "MYSQL   | -           | autoReconnect=true",
            "MYSQL   | -           | autoReconnect=true&reconnectAtTxEnd=true",
            "MYSQL   | -           | autoReconnectForPools=true",
            "MYSQL   | failover    | failOverReadOnly=false&autoReconnect=true",
            "MYSQL   | replication | -",
            "MYSQL   | loadbalance | -",
            "MYSQL   | loadbalance | loadBalanceAutoCommitStatementThreshold=1&loadBalanceSQLStateFailover=40",
            "MYSQL   | -           | connectionCollation=utf8mb4_general_ci&databaseTerm=SCHEMA",
            "MYSQL   | -           | readOnlyPropagatesToServer=false&enableQueryTimeouts=false",
            "MYSQL   | -           | sessionVariables=completion_type=0,innodb_lock_wait_timeout=1",
            "MYSQL   | -           | sessionVariables=sql_safe_updates=1",
            "MYSQL   | -           | jdbcCompliantTruncation=false",
        })
record DriverSettingsTest(
        Driver driver, @Nullable String hosts, @Nullable String settings) {

    /** What work does last. */
    private enum Ending {
        AN_ERROR(statement -> fails(() -> statement.execute("INSERT INTO rule VALUES (1)"))),
        AN_ERROR_OF_A_PREPARED_STATEMENT(statement -> {
            try (PreparedStatement prepared =
                    statement.getConnection().prepareStatement("INSERT INTO rule VALUES (?)")) {
                prepared.setInt(1, 1);
                fails(prepared::executeUpdate);
            }
        }),
        AN_ERROR_IN_A_BATCH(statement -> {
            statement.addBatch("INSERT INTO rule VALUES (1)");
            statement.addBatch("DELETE FROM rule WHERE id = 9");
            fails(statement::executeBatch);
        }),
        AN_ERROR_OF_SYNTAX(statement -> fails(() -> statement.execute("SELEKT"))),
        A_WRITE(statement -> {}),
        A_READ(statement -> statement.executeQuery("SELECT id FROM effect").close()),
        A_READ_OF_WHICH_A_PART_IS_LEFT(
                statement -> statement.executeQuery("SELECT id FROM effect").next()),
        A_BATCH(statement -> {
            statement.addBatch("INSERT INTO effect VALUES ('batch')");
            statement.addBatch("DELETE FROM rule WHERE id = 9");
            assertThat(statement.executeBatch()).hasSize(2);
        });

        @SuppressWarnings("ImmutableEnumChecker") // It has no state.
        private final Step step;

        Ending(Step step) {
            this.step = step;
        }

        private static void fails(ThrowingCallable call) {
            assertThatThrownBy(call).isInstanceOf(SQLException.class);
        }
    }

    private interface Step {
        void run(Statement statement) throws SQLException;
    }

    private static void run(Handle handle, Step step) {
        try (Statement statement = handle.getConnection().createStatement()) {
            step.run(statement);
        } catch (SQLException thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    private ProxiedCalls calls() {
        ProxiedCalls calls = new ProxiedCalls(TestPool.by(driver, ""), this::url);
        calls.direct.useHandle(handle -> {
            handle.execute("CREATE TABLE rule (id int PRIMARY KEY)");
            handle.execute("INSERT INTO rule VALUES (1)");
            handle.execute("CREATE TABLE numbered (id int AUTO_INCREMENT PRIMARY KEY)");
        });
        return calls;
    }

    private String url(String single) {
        String url = single + (settings == null ? "" : "&" + settings);
        return hosts == null ? url : ProxiedCalls.twice(url, hosts.equals("failover") ? "" : hosts + ":");
    }

    /** The hosts of a loadbalance URL are refused, since they may be several servers. Here they are one. */
    @Test
    void checkAcceptsIt() {
        try (ProxiedCalls calls = calls()) {
            if ("loadbalance".equals(hosts)) {
                assertThatThrownBy(calls.store::checkTable)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContainingAll("loadbalance", "tried in order");
            } else {
                assertThat(calls.store.checkTable()).isNotNull();
            }
        }
    }

    @Test
    void commitWhoseAnswerIsLostIsFoundCommitted() {
        try (ProxiedCalls calls = calls()) {
            for (Shape shape : Shape.values()) {
                calls.reset();
                assertThat(calls.execute(shape, handle -> {
                            write(handle);
                            calls.proxy.onNextStatement(ProxiedCalls::isCommit, Cut.AFTER_ANSWER);
                        }))
                        .as("%s", shape)
                        .isInstanceOf(Outcome.Executed.class);
                assertThat(calls.proxy.hasCut()).isTrue();
                assertThat(calls.effects()).as("%s", shape).containsExactly("effect");
                assertThat(calls.runs).as("%s", shape).hasValue(1);
                assertThat(calls.execute(shape)).isInstanceOf(Outcome.Replayed.class);
            }
        }
    }

    @Test
    void commitThatNeverArrivedIsRunAgain() {
        try (ProxiedCalls calls = calls()) {
            for (Shape shape : Shape.values()) {
                calls.reset();
                assertThat(calls.execute(shape, handle -> {
                            write(handle);
                            if (calls.runs.get() == 1) {
                                calls.proxy.onNextStatement(ProxiedCalls::isCommit, Cut.BEFORE_SEND);
                            }
                        }))
                        .as("%s", shape)
                        .isInstanceOf(Outcome.Executed.class);
                assertThat(calls.runs).as("%s", shape).hasValue(2);
                assertThat(calls.effects()).as("%s", shape).containsExactly("effect");
                assertThat(calls.execute(shape)).isInstanceOf(Outcome.Replayed.class);
            }
        }
    }

    /** A driver that connects again lets the work go on, in another transaction. */
    @Test
    void workThatGoesOnAfterALostConnectionNeverCommitsHalf() {
        try (ProxiedCalls calls = calls()) {
            for (Shape shape : Shape.values()) {
                for (Cut cut : List.of(Cut.BEFORE_SEND, Cut.AFTER_ANSWER)) {
                    calls.reset();
                    calls.direct.useHandle(handle -> handle.execute("DELETE FROM numbered"));
                    Throwable thrown =
                            catchThrowable(() -> calls.execute(shape, handle -> writeInHalves(calls, handle, cut)));
                    List<String> numbers =
                            calls.direct.withHandle(handle -> handle.createQuery("SELECT id FROM numbered")
                                    .mapTo(String.class)
                                    .list());
                    assertThat(numbers).as("%s %s %s", shape, cut, thrown).hasSize(thrown == null ? 1 : 0);
                    assertThat(calls.effects()).as("%s %s", shape, cut).isEqualTo(numbers);
                }
            }
        }
    }

    /** The second half has the number of the first. In between the connection is cut in the first run, and nobody cares. */
    private static void writeInHalves(ProxiedCalls calls, Handle handle, Cut cut) {
        run(handle, statement -> {
            statement.execute("INSERT INTO numbered VALUES ()");
            String number;
            try (ResultSet row = statement.executeQuery("SELECT LAST_INSERT_ID()")) {
                assertThat(row.next()).isTrue();
                number = row.getString(1);
            }
            if (calls.runs.get() == 1) {
                calls.proxy.onNextStatement("SELECT 42"::equals, cut);
                Throwable unused = catchThrowable(() -> statement.execute("SELECT 42"));
                assertThat(calls.proxy.hasCut()).isTrue();
            }
            statement.execute("INSERT INTO effect VALUES ('" + number + "')");
        });
    }

    @Test
    void workThatFailsLeavesNothing() {
        try (ProxiedCalls calls = calls()) {
            for (Shape shape : List.of(Shape.CLAIM_FIRST, Shape.SINGLE_TRANSACTION_PLANNED)) {
                for (Ending ending : Ending.values()) {
                    calls.reset();
                    IllegalArgumentException refused = new IllegalArgumentException("refused");
                    assertThat(catchThrowable(() -> calls.execute(shape, handle -> {
                                write(handle);
                                run(handle, ending.step);
                                throw refused;
                            })))
                            .as("%s after %s", shape, ending)
                            .isSameAs(refused);
                    assertThat(calls.effects()).as("%s after %s", shape, ending).isEmpty();
                    assertThat(calls.execute(shape)).isInstanceOf(Outcome.Rejected.class);
                }
            }
        }
    }

    @Test
    void workThatIsDoneLeavesItsEffect() {
        try (ProxiedCalls calls = calls()) {
            for (Shape shape : List.of(Shape.CLAIM_FIRST, Shape.SINGLE_TRANSACTION_PLANNED)) {
                for (Ending ending : Ending.values()) {
                    calls.reset();
                    assertThat(calls.execute(shape, handle -> {
                                write(handle);
                                run(handle, ending.step);
                            }))
                            .as("%s after %s", shape, ending)
                            .isInstanceOf(Outcome.Executed.class);
                    assertThat(calls.effects()).as("%s after %s", shape, ending).contains("effect");
                    assertThat(calls.execute(shape)).isInstanceOf(Outcome.Replayed.class);
                }
            }
        }
    }

    @Test
    void stepsCountWhatTheyChange() {
        try (ProxiedCalls calls = calls()) {
            List<Pending> records = List.of(pending("a"), pending("A"), pending("b"));
            for (Pending record : records) {
                IdempotencyKey key = record.key();
                UUID next = UUID.randomUUID();
                assertThat(claim(calls, record)).isEmpty();
                assertThat(isDone(calls, steps -> steps.replaceToken(key, record.token(), next)))
                        .isTrue();
                assertThat(isDone(calls, steps -> steps.replaceToken(key, record.token(), next)))
                        .isFalse();
                assertThat(isDone(calls, steps -> steps.replaceToken(key, next, record.token())))
                        .isTrue();
                assertThat(isDone(calls, steps -> steps.confirm(key, record.token())))
                        .isTrue();
                assertThat(isDone(calls, steps -> steps.confirm(key, record.token())))
                        .isTrue();
                assertThat(isDone(calls, steps -> steps.confirm(key, next))).isFalse();
                assertThat(claim(calls, record))
                        .get()
                        .isInstanceOfSatisfying(
                                Pending.class,
                                found -> assertThat(found.age()).isBetween(Duration.ZERO, Duration.ofMinutes(1)));
            }
            List<IdempotencyKey> keys = records.stream().map(Pending::key).toList();
            assertThat(all(calls, keys)).containsOnlyKeys(keys);
            Pending succeeds = records.get(0);
            for (boolean first : new boolean[] {true, false}) {
                assertThat(isDone(calls, steps -> steps.succeed(keys.get(0), succeeds.token(), Optional.empty())))
                        .isEqualTo(first);
                assertThat(isDone(
                                calls,
                                steps -> steps.fail(keys.get(1), records.get(1).token(), new Failure("code", ""))))
                        .isEqualTo(first);
                assertThat(isDone(
                                calls,
                                steps -> steps.release(
                                        keys.get(2), records.get(2).token())))
                        .isEqualTo(first);
            }
            calls.direct.useHandle(handle -> handle.execute("UPDATE idempotency_record SET"
                    + " created_at = created_at - INTERVAL 3 HOUR, updated_at = updated_at - INTERVAL 3 HOUR,"
                    + " expires_at = expires_at - INTERVAL 3 HOUR"));
            assertThat(claim(calls, records.get(2))).isEmpty();
            assertThat(calls.store.purgeExpired(10)).isEqualTo(2);
            assertThat(calls.store.purgeExpired(10)).isZero();
            assertThat(all(calls, keys)).containsOnlyKeys(keys.get(2));
        }
    }

    private static Pending pending(String value) {
        return new Pending(
                IdempotencyKey.inScope("user:1").operation("operation").value(value),
                Protocol.CLAIM_FIRST,
                UUID.randomUUID(),
                Fingerprint.ofParts("request"),
                Optional.empty(),
                Duration.ZERO);
    }

    private static Optional<IdempotencyRecord> claim(ProxiedCalls calls, Pending record) {
        return step(
                calls, steps -> steps.claim(record, Duration.ofHours(1), Duration.ofSeconds(1), Durability.DURABLE));
    }

    private static Map<IdempotencyKey, IdempotencyRecord> all(ProxiedCalls calls, List<IdempotencyKey> keys) {
        return step(calls, steps -> steps.readAll(keys));
    }

    private static boolean isDone(ProxiedCalls calls, Predicate<RecordSteps> step) {
        return step(calls, step::test);
    }

    private static <T> T step(ProxiedCalls calls, Function<RecordSteps, T> step) {
        try (Session<Handle> session = calls.store.open(
                IdempotencyKey.inScope("user:1").operation("operation").value("1"))) {
            return session.autoCommit(step);
        }
    }
}
